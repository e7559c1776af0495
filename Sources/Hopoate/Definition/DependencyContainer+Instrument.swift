// How a service comes to be observed.
//
// No resolve path checks for observers. Registration decides once. An observed service is registered in the form that resolve
// calls check last (`ServiceSource.factory`, neither plain nor scoped). So each resolve call for it reaches
// `ServiceFactory.resolveSlow`, which knows the observer, and the factory runs inside the observer's `create`. Unobserved
// services pay nothing when they are resolved. When a service is registered, `add` makes one check that it needs anyway: whether
// anything in the process watches registrations.

/// The instruments of a container, in the order in which they were added.
private struct Instruments: ContainerAttachment {
    var all: [(instrument: any DependencyInstrument, watching: Watching)] = []
}

extension DependencyContainer {
    /// Observes all later registrations in this container and its children.
    ///
    /// ```swift
    /// struct Quiet: DependencyInstrument {
    ///     func observer(of dependency: ObservedDependency) -> (any DependencyObserver)? { nil }
    /// }
    /// container.instrument(with: Quiet())  // before modules are installed
    /// ```
    ///
    /// Earlier registrations, noncopyable services and values of ``DependencyValues`` are not observed. If there are several
    /// instruments, the observer of the first one is the outermost around a factory. Instruments of the parents come before
    /// those of a child.
    ///
    /// Cost: a service that no instrument observes is resolved as fast as without instruments. An observed service loses its
    /// fast path: each resolve call takes the general path and calls the observer. A closure passed to `withService` gets a
    /// copy instead of borrowing. While an instrumented container exists, every registration in the process looks for
    /// instruments in the target container and its parents.
    ///
    /// - Parameter instrument: Chooses the observer of each registration. The container keeps it until the container ends.
    /// - Complexity: Constant.
    /// - Note: Concurrency. Registrations that other threads make at the same time may be observed or not.
    public func instrument(with instrument: any DependencyInstrument) {
        let watched = (instrument, Watching())
        state.withAttachment(Instruments.self) { $0.all.append(watched) }
    }

    /// The observer of a service that is about to be registered; nil if no instrument observes it.
    func observer<Service>(
        of key: ServiceKey<Service>, _ lifetime: Lifetime, _ callSite: CallSite?, _ requirements: [Requirement]? = nil
    ) -> (any DependencyObserver)? {
        let instruments = self.instruments
        if instruments.isEmpty { return nil }
        let dependency = ObservedDependency(key, lifetime, callSite, requirements ?? [])
        let observers = instruments.compactMap { $0.observer(of: dependency) }
        return observers.count > 1 ? ObserverChain(observers: observers) : observers.first
    }

    /// The instruments of the parents, then those of this container.
    private var instruments: [any DependencyInstrument] {
        let own = stateIfAny?.withAttachmentIfAny(Instruments.self) { $0.all.map(\.instrument) }
        // The state of a view is that of its parent.
        return (parent?.instruments ?? []) + (isView ? [] : own ?? [])
    }
}

// MARK: - Registering while registrations are watched

extension DependencyContainer {
    /// Does the same as `add(_:named:_:replacing:)`, and observes the service.
    @usableFromInline
    func addWatched<Service>(
        _ instance: Service, _ name: DependencyName?, _ callSite: CallSite?, _ replacing: Bool
    ) -> ServiceRegistration<Service> {
        var definition = ServiceDefinition<Service, Void>(
            key: ServiceKey(named: name), name: name, lifetime: .eager, callSite: callSite,
            closures: .synchronous { _, _ in instance })
        definition.observer = observer(of: definition.key, .eager, callSite)
        return add(.holding(instance, of: definition, disposals: nil), replacing: replacing)
    }

    /// Does the same as `add(cached:_:_:replacing:)`, and observes the service.
    @usableFromInline
    func addWatched<Service>(
        _ cached: Bool, _ name: DependencyName?, _ callSite: CallSite?, _ replacing: Bool,
        _ factory: @escaping () -> Service
    ) -> ServiceRegistration<Service> {
        let definition = ServiceDefinition<Service, Void>(
            key: ServiceKey(named: name), name: name, lifetime: cached ? .eager : .transient, callSite: callSite,
            closures: .synchronous { _, _ in factory() })
        return add(definition, replacing: replacing)
    }
}

/// The observers of one registration, the outermost first.
private struct ObserverChain: DisposalObserver {
    let observers: [any DependencyObserver]

    private var ofDisposals: [any DisposalObserver] { observers.compactMap { $0 as? any DisposalObserver } }

    func willHaveHooks() { for observer in ofDisposals { observer.willHaveHooks() } }

    func willDispose() { for observer in ofDisposals { observer.willDispose() } }

    func didDispose() { for observer in ofDisposals { observer.didDispose() } }

    func didResolve() {
        for observer in observers { observer.didResolve() }
    }

    func create<Output>(_ factory: () throws -> Output) throws -> Output {
        try create(inside: observers[...], factory)
    }

    private func create<Output>(
        inside observers: ArraySlice<any DependencyObserver>, _ factory: () throws -> Output
    ) throws -> Output {
        guard let first = observers.first else { return try factory() }
        return try first.create { try create(inside: observers.dropFirst(), factory) }
    }

    func create<Output>(
        isolation: isolated (any Actor)?, _ factory: () async throws -> Output
    ) async throws -> Output {
        try await create(inside: observers[...], isolation: isolation, factory)
    }

    private func create<Output>(
        inside observers: ArraySlice<any DependencyObserver>, isolation: isolated (any Actor)?,
        _ factory: () async throws -> Output
    ) async throws -> Output {
        guard let first = observers.first else { return try await factory() }
        return try await first.create(isolation: isolation) {
            try await create(inside: observers.dropFirst(), isolation: isolation, factory)
        }
    }
}

extension ServiceFactory.Closures {
    /// The same factory, run by an observer, if there is one.
    func observed(by observer: (any DependencyObserver)?) -> Self {
        guard let observer else { return self }
        func direct(
            _ create: @escaping (DependencyContainer, Arguments) throws -> Service
        ) -> (DependencyContainer, Arguments) throws -> Service {
            { container, arguments in try observer.create { try create(container, arguments) } }
        }
        func suspending(
            _ create: @escaping @Sendable (DependencyContainer, Arguments) async throws -> Service
        ) -> @Sendable (DependencyContainer, Arguments) async throws -> Service {
            { container, arguments in
                let arguments = Unchecked(arguments)
                let instance = try await observer.create(isolation: nil) {
                    Unchecked(try await create(container, arguments.value))
                }
                return instance.value
            }
        }
        return switch self {
        case .synchronous(let create): .synchronous(direct(create))
        case .asynchronous(let create): .asynchronous(suspending(create))
        case .both(let create, let suspendingCreate), .initializer(let create, let suspendingCreate):
            .both(direct(create), suspending(suspendingCreate))
        }
    }
}
