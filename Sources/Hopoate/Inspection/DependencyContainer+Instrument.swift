// How a registration comes to be observed.
//
// Nothing on the way of a request asks whether somebody observes it: that is decided once, when a service is registered. What is
// observed is registered in the form that is looked at last (`ServiceSource.factory`, neither plain nor scoped), so each request
// for it comes to `ServiceFactory.instanceSlow`, which knows the observer; and its creator is put into the observer's hands. Whether
// anybody observes at all is a part of the question that `add` asks anyway: whether somebody notes what is registered.

extension DependencyContainer {
    /// Has everything observed that is registered from now on, in this container and in its children.
    ///
    /// ```swift
    /// struct Quiet: DependencyInstrument {
    ///     func observer(of dependency: ObservedDependency) -> (any DependencyObserver)? { nil }
    /// }
    /// container.instrument(with: Quiet())  // before the modules are installed
    /// ```
    ///
    /// What is registered already stays as it is. Several instruments see the same: the one that came first is the outermost
    /// around a creator. Services that cannot be copied, and values by key path, are not observed.
    ///
    /// - Parameter instrument: Says who observes what. Kept until the end of the container.
    /// - Complexity: Constant. A service that is observed is found by a longer path than one that is not, and is copied where
    ///   it would have been lent in place.
    /// - Note: Concurrency. From any thread. What other threads register at the same time may be observed or not.
    public func instrument(with instrument: any DependencyInstrument) {
        if state.add(instrument) { beginWatching() }
    }

    /// Who observes what is about to be registered; nil for nobody.
    func observer<Service>(
        of key: ServiceKey<Service>, _ lifetime: Lifetime, _ callSite: CallSite?
    ) -> (any DependencyObserver)? {
        let instruments = self.instruments
        if instruments.isEmpty { return nil }
        let dependency = ObservedDependency(key, lifetime, callSite)
        let observers = instruments.compactMap { $0.observer(of: dependency) }
        return observers.count > 1 ? ObserverChain(observers: observers) : observers.first
    }

    /// Those of the parents come first.
    private var instruments: [any DependencyInstrument] {
        (parent?.instruments ?? []) + (stateIfAny?.instruments ?? [])
    }
}

// MARK: - Where somebody may observe a service, or note its registration

extension DependencyContainer {
    /// As `add(_:named:_:replacing:)`.
    @usableFromInline
    func addWatched<Service>(
        _ instance: Service, _ name: DependencyName?, _ callSite: CallSite?, _ replacing: Bool
    ) -> ServiceRegistration<Service> {
        let key = ServiceKey<Service>(named: name)
        let source = ServiceSource(holding: instance, observer(of: key, .eager, callSite))
        return add(ServiceRegistration(key, source, name: name, callSite: callSite), replacing: replacing)
    }

    /// As `add(cached:_:_:replacing:)`.
    @usableFromInline
    func addWatched<Service>(
        _ cached: Bool, _ name: DependencyName?, _ callSite: CallSite?, _ replacing: Bool,
        _ creator: @escaping () -> Service
    ) -> ServiceRegistration<Service> {
        let key = ServiceKey<Service>(named: name)
        let lifetime: Lifetime = cached ? .eager : .transient
        let observer = observer(of: key, lifetime, callSite)
        let source: ServiceSource<Service>
        if cached {
            source = ServiceSource(holding: makeEagerly(key) { observer?.create(creator) ?? creator() }, observer)
        } else if let observer {
            let each = ServiceFactory<Service, Void>.Closures.synchronous { _, _ in creator() }
            source = .factory(ServiceFactory(each.observed(by: observer), lifetime: lifetime, observer: observer))
        } else {
            source = .closure(creator)
        }
        return add(ServiceRegistration(key, source, name: name, callSite: callSite), replacing: replacing)
    }
}

/// Several observers of one registration, the outermost first.
private struct ObserverChain: DependencyObserver {
    let observers: [any DependencyObserver]

    func didResolve() {
        for observer in observers { observer.didResolve() }
    }

    func create<Output>(_ creator: () throws -> Output) rethrows -> Output {
        try create(inside: observers[...], creator)
    }

    private func create<Output>(
        inside observers: ArraySlice<any DependencyObserver>, _ creator: () throws -> Output
    ) rethrows -> Output {
        guard let first = observers.first else { return try creator() }
        return try first.create { try create(inside: observers.dropFirst(), creator) }
    }

    func create<Output>(
        isolation: isolated (any Actor)?, _ creator: () async throws -> Output
    ) async rethrows -> Output {
        try await create(inside: observers[...], isolation: isolation, creator)
    }

    private func create<Output>(
        inside observers: ArraySlice<any DependencyObserver>, isolation: isolated (any Actor)?,
        _ creator: () async throws -> Output
    ) async rethrows -> Output {
        guard let first = observers.first else { return try await creator() }
        return try await first.create(isolation: isolation) {
            try await create(inside: observers.dropFirst(), isolation: isolation, creator)
        }
    }
}

extension ServiceFactory.Closures {
    /// The same factory, in the hands of an observer.
    func observed(by observer: any DependencyObserver) -> Self {
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
        case .both(let create, let suspendingCreate): .both(direct(create), suspending(suspendingCreate))
        }
    }
}
