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
