/// The parts of a registration, to be checked before it is made.
struct ServiceDefinition<Service, Arguments> {
    let key: ServiceKey<Service>
    let name: DependencyName?
    let lifetime: Lifetime
    let callSite: CallSite
    let closures: ServiceFactory<Service, Arguments>.Closures
    /// The closure of the user, if it takes nothing but the container and is synchronous.
    let plain: ((DependencyContainer) throws -> Service)?
    let requirements: [Requirement]?
    let completion: ((Service, DependencyContainer) throws -> Void)?
    let hooks: DisposalHooks<Service>?
    let hashable: (any KeyedArguments.Type)?
    /// The disposals of the service that this one decorates.
    let decorated: Disposals?
    /// Whether it decorates another service.
    let isDecorator: Bool
    /// Whether the compiler has checked that nothing else refers to a new instance.
    let isSending: Bool

    init(
        _ key: ServiceKey<Service>, _ name: DependencyName?, _ lifetime: Lifetime, _ callSite: CallSite,
        _ closures: ServiceFactory<Service, Arguments>.Closures,
        plain: ((DependencyContainer) throws -> Service)? = nil, requirements: [Requirement]? = nil,
        completion: ((Service, DependencyContainer) throws -> Void)? = nil, hooks: DisposalHooks<Service>? = nil,
        hashable: (any KeyedArguments.Type)? = nil, decorated: Disposals? = nil, isDecorator: Bool = false,
        isSending: Bool = false
    ) {
        self.key = key
        self.name = name
        self.lifetime = lifetime
        self.callSite = callSite
        self.closures = closures
        self.plain = plain
        self.requirements = requirements
        self.completion = completion
        self.hooks = hooks
        self.hashable = hashable
        self.decorated = decorated
        self.isDecorator = isDecorator
        self.isSending = isSending
    }

    /// The part that disposals share; nil if there are no hooks.
    var origin: DisposalOrigin? { hooks == nil ? nil : DisposalOrigin(self) }

    /// Why the registration cannot work; nil if it can.
    var objection: String? {
        let policy = lifetime.policy
        let takesArguments = Arguments.self != Void.self
        if let objection = policy.objection(to: Service.self) { return objection }
        let sharing = policy.sharing.kind
        switch lifetime.arguments {
        case .required where !takesArguments:
            return
                "has the lifetime '\(lifetime)' but takes no arguments. Let its factory take arguments, or use another lifetime"
        case .required where hashable == nil, .hashable where takesArguments && hashable == nil:
            return """
                has the lifetime '\(lifetime)' but takes an argument that is not Hashable. Make all argument types Hashable, or \
                use `.transient`
                """
        case .refused where takesArguments:
            return """
                has the lifetime '\(lifetime)' and takes arguments, but the first caller's arguments would be reused for every \
                later caller. Use `.keyed`, `.weak`, `.scoped`, `.cached(in:)` or `.graph` (one instance per value), or \
                `.transient`
                """
        case .required, .hashable, .allowed, .refused:
            break
        }
        if sharing.isEager, case .asynchronous = closures {
            return
                "is eager, but its factory is asynchronous. Use the lifetime `.singleton`, and call `warmUp()`"
        }
        if hooks != nil, !policy.ownsInstances {
            return """
                has a disposal hook and the lifetime '\(lifetime)', whose instances the container does not own. Remove the \
                disposal hook, or use another lifetime
                """
        }
        return nil
    }
}

extension DependencyContainer {
    /// Makes a registration from its definition, and adds it or replaces all registrations of its key. Traps if it cannot work.
    func add<Service, Arguments>(
        _ definition: ServiceDefinition<Service, Arguments>, replacing: Bool = false
    ) -> ServiceRegistration<Service> {
        if let objection = definition.objection { failInvalid(definition.key, definition.callSite, objection) }
        var closures = definition.closures
        var observer: (any DependencyObserver)?
        var record: CreationRecord?
        if isWatched {
            observer = self.observer(of: definition.key, definition.lifetime, definition.callSite)
            record = makeRecord()
            closures = closures.observed(by: record).observed(by: observer)
        }
        if definition.lifetime.policy.sharing.kind.isEager {
            return addInstance(of: definition, closures, observer, record, replacing)
        }
        let factory = ServiceFactory(
            closures, lifetime: definition.lifetime,
            requirements: definition.requirements,
            completion: definition.completion,
            hooks: definition.hooks, hashable: definition.hashable, decorated: definition.decorated, observer: observer,
            isSending: definition.isSending, isDecorator: definition.isDecorator, origin: definition.origin,
            record: record, in: self)
        let registration = ServiceRegistration.of(
            factory, definition.key, plain: record == nil ? definition.plain : nil, name: definition.name,
            callSite: definition.callSite, disposals: factory.disposals)
        registration.keyedIndex = factory.keyedIndex
        return add(registration, replacing: replacing)
    }

    /// Runs an eager factory, and registers its instance.
    private func addInstance<Service, Arguments>(
        of definition: ServiceDefinition<Service, Arguments>, _ closures: ServiceFactory<Service, Arguments>.Closures,
        _ observer: (any DependencyObserver)?, _ record: CreationRecord?, _ replacing: Bool
    ) -> ServiceRegistration<Service> {
        // `objection` has checked both: an eager factory does not suspend, and takes no arguments.
        guard let create = closures.synchronous, let arguments = () as? Arguments else { preconditionFailure() }
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
        let hasDisposals = definition.hooks != nil || definition.decorated != nil || record != nil
        let disposals = hasDisposals ? Disposals(decorating: definition.decorated, record: record) : nil
        if let disposals, let hooks = definition.hooks {
            let disposal = Disposal(
                hooks, for: instance, mark: 0, definition.origin, number: registry.nextNumber())
            // If the container was shut down meanwhile, it will refuse the registration too.
            if !state.add(disposal) || !disposals.add(disposal, of: state) { disposal.run(in: state) }
        }
        return add(
            .holding(
                instance, for: definition.key, observer, name: definition.name, callSite: definition.callSite,
                disposals: disposals),
            replacing: replacing)
    }
}
