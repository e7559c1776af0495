// The common part of all forms of `register`.

extension DependencyContainer {
    /// Registers a closure that takes no container. With `cached`, it runs now and once; otherwise once per resolve call.
    @inlinable
    func add<Service>(
        cached: Bool, _ factory: @escaping () -> Service, _ callSite: CallSite?, replacing: Bool = false
    ) -> ServiceRegistration<Service> {
        if _slowPath(isWatched) { return addWatched(cached, nil, callSite, replacing, factory) }
        let key = ServiceKey<Service>()
        return put(
            cached
                ? InstanceRegistration(key, holding: makeEagerly(key, factory), callSite: callSite)
                : ClosureRegistration(key, factory, callSite: callSite),
            replacing: replacing)
    }

    /// Registers an instance. There is no factory, so observers see no creation.
    @inlinable
    func add<Service>(
        _ instance: consuming Service, named name: DependencyName? = nil, _ callSite: CallSite?, replacing: Bool = false
    ) -> ServiceRegistration<Service> {
        if _slowPath(isWatched) { return addWatched(instance, name, callSite, replacing) }
        let key = ServiceKey<Service>(named: name)
        return put(
            InstanceRegistration(key, holding: instance, name: name, callSite: callSite), replacing: replacing)
    }

    /// Adds a registration to the registry: on top of the others of its key, or in place of all of them.
    @inlinable
    func add<Service: ~Copyable>(
        _ registration: ServiceRegistration<Service>, replacing: Bool = false
    ) -> ServiceRegistration<Service> {
        _ = put(registration, replacing: replacing)
        if _slowPath(isWatched) { noteAddition(of: registration, replacing: replacing) }
        return registration
    }

    /// The same as `add`, but notifies no observer or recorder.
    @inlinable
    func put<Service: ~Copyable>(
        _ registration: ServiceRegistration<Service>, replacing: Bool
    ) -> ServiceRegistration<Service> {
        let isTaken = withExtendedLifetime(self) {
            replacing ? registry.replace(registration) : registry.push(registration)
        }
        if !isTaken { failSealed(registration, self) }
        return registration
    }
}

extension DependencyContainer {
    /// Makes a registration from its definition, and adds it or replaces all registrations of its key. Traps if it cannot work.
    func add<Service, Arguments>(
        _ definition: ServiceDefinition<Service, Arguments>, replacing: Bool = false
    ) -> ServiceRegistration<Service> {
        if let objection = definition.objection { failInvalid(definition.key, definition.callSite, objection) }
        guard isWatched || role != .ordinary else { return make(definition, replacing) }
        var definition = definition
        if isWatched { definition.watch(in: self) }
        if role != .ordinary { definition.keepInOneGeneration() }
        return make(definition, replacing)
    }

    /// Makes and adds the registration of a valid definition. The caller has called `watch(in:)` on the definition if anything is watched.
    private func make<Service, Arguments>(
        _ definition: ServiceDefinition<Service, Arguments>, _ replacing: Bool
    ) -> ServiceRegistration<Service> {
        if definition.lifetime.isEager { return addInstance(of: definition, replacing) }
        return add(lazyRegistration(definition), replacing: replacing)
    }

    /// Makes a registration that runs its factory when the service is resolved.
    private func lazyRegistration<Service, Arguments>(
        _ definition: ServiceDefinition<Service, Arguments>
    ) -> ServiceRegistration<Service> {
        let factory = ServiceFactory(definition, in: self)
        let registration = ServiceRegistration.of(factory, definition, disposals: factory.disposals)
        registration.isDecorator = definition.decorated != nil
        if _slowPath(role != .ordinary), definition.decorated == nil {
            factory.renew = { $0.lazyRegistration(definition) }
        }
        return registration
    }

    /// Runs an eager factory, and registers its instance.
    private func addInstance<Service, Arguments>(
        of definition: ServiceDefinition<Service, Arguments>, _ replacing: Bool
    ) -> ServiceRegistration<Service> {
        // `objection` has checked both: an eager factory does not suspend, and takes no arguments.
        guard let create = definition.closures.synchronous, let arguments = () as? Arguments else {
            preconditionFailure()
        }
        let instance: Service
        do {
            instance = try withThrowingFrame(definition.key.erased, isEager: true) {
                let instance = try create(self, arguments)
                do { try definition.completion?(instance, self) } catch {
                    // Nobody else will: `register` traps.
                    if let hooks = definition.hooks { Disposal(hooks, for: instance, mark: 0).run(in: state) }
                    throw error
                }
                return instance
            }
        } catch {
            fail(
                DependencyError(
                    error, definition.key, trail: nil, action: .register, at: definition.callSite))
        }
        let decorated = definition.decorated?.disposals
        let hasDisposals = definition.hooks != nil || decorated != nil || definition.record != nil
        let disposals = hasDisposals ? Disposals(decorating: decorated, companion: definition.record) : nil
        if let disposals, let hooks = definition.hooks {
            let disposal = Disposal(
                hooks, for: instance, mark: 0, definition.origin, number: nextNumber())
            // If the container was shut down meanwhile, it will refuse the registration too.
            if !state.add(disposal) || !disposals.add(disposal, of: state) { disposal.run(in: state) }
        }
        let registration = ServiceRegistration.holding(instance, of: definition, disposals: disposals)
        registration.isDecorator = definition.decorated != nil
        registration.isMadeByFactory = true
        return add(registration, replacing: replacing)
    }
}
