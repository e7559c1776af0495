extension DependencyContainer {
    /// Registers a creator, and how long what it creates lives.
    ///
    /// ```swift
    /// container.register(Checkout.self, lifetime: .transient) { container in
    ///     Checkout(greeter: container.resolve(), log: container())
    /// }
    /// container.register((any Log).self, named: .audit) { _ in
    ///     FileLog("audit.log")
    /// } onDispose: { log in
    ///     log.flush()
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: Tells it apart from others of the type; nil for one without a name.
    ///   - lifetime: How long an instance lives, and who shares it. A singleton, made when it is first asked for, unless you
    ///     say otherwise.
    ///   - fileID: Where it is registered; filled in by the compiler.
    ///   - line: Where it is registered; filled in by the compiler.
    ///   - creator: Makes an instance. Gets the container to ask for what it needs: the one that was asked, or, for what
    ///     outlives that, the one that holds the registration. Where it throws, nothing is kept, and the next request tries again.
    ///   - afterCreation: Completes an instance that has been made: whoever asks for the service in its course gets the instance,
    ///     so two services can come to know each other here.
    ///   - onDispose: Runs when the container lets go of an instance: by ``remove(_:)``, an overwrite, ``removeAll()``,
    ///     `shutdown()`, or its own end.
    ///   - onAsyncDispose: As `onDispose`, for what has to be waited for; only the asynchronous `shutdown()` does wait.
    /// - Returns: A token for ``remove(_:)``. The container does not need it.
    /// - Complexity: Constant, amortised. The creator is called when the service is first asked for, an eager one now.
    /// - Note: Concurrency. From any thread. The registration appears at once and whole. Creators run on whichever threads ask,
    ///   with nothing locked; that of a shared instance runs once, however many ask at once.
    @discardableResult
    public func register<Service>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .singleton,
        fileID: StaticString = #fileID, line: UInt = #line,
        creator: @escaping (DependencyContainer) throws -> Service,
        afterCreation: ((Service, DependencyContainer) throws -> Void)? = nil,
        onDispose: ((Service) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Service) async throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        add(
            ServiceDefinition<Service, Void>(
                ServiceKey(named: name), name, lifetime, CallSite(fileID, line),
                .synchronous { container, _ in try creator(container) },
                completion: afterCreation, hooks: DisposalHooks(sync: onDispose, async: onAsyncDispose)))
    }

    /// Registers a creator that suspends.
    ///
    /// ```swift
    /// container.register(Database.self) { _ in
    ///     try await Database.connect()
    /// }
    /// let database = try await container.asyncResolve(Database.self)
    /// ```
    ///
    /// All who ask while it is being created share one creation, and nobody's thread is blocked. Once it exists, everybody
    /// finds it with ``resolve(_:fileID:line:)`` too; before, that ends with ``DependencyError/Reason/onlyAsynchronous``.
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: Tells it apart from others of the type; nil for one without a name.
    ///   - lifetime: How long an instance lives, and who shares it. Not eager: nothing can be waited for in here; create it with
    ///     ``warmUp(isolation:)``.
    ///   - fileID: Where it is registered; filled in by the compiler.
    ///   - line: Where it is registered; filled in by the compiler.
    ///   - creator: Makes an instance, in a task of its own where it is shared: cancelling one of those who wait does not cancel
    ///     it. It may be isolated to an actor, as `{ @MainActor container in … }`.
    ///   - onDispose: As for a creator that does not suspend.
    ///   - onAsyncDispose: As `onDispose`, for what has to be waited for; only the asynchronous `shutdown()` does wait.
    /// - Returns: A token for ``remove(_:)``. The container does not need it.
    /// - Complexity: Constant, amortised.
    /// - Note: Concurrency. From any thread. A failure is not kept: those who waited for it get it, the next one tries again.
    @discardableResult
    public func register<Service: Sendable>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .singleton,
        fileID: StaticString = #fileID, line: UInt = #line,
        creator: @escaping @Sendable (DependencyContainer) async throws -> Service,
        onDispose: ((Service) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Service) async throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        add(
            ServiceDefinition<Service, Void>(
                ServiceKey(named: name), name, lifetime, CallSite(fileID, line),
                .asynchronous { container, _ in try await creator(container) },
                hooks: DisposalHooks(sync: onDispose, async: onAsyncDispose)))
    }

    /// Registers a creator that runs on the main actor.
    ///
    /// ```swift
    /// container.register(Window.self) { @MainActor _ in Window() }
    /// let window = try await container.asyncResolve(Window.self)
    /// ```
    ///
    /// For another actor, say that the closure is asynchronous: `{ @Rendering _ async in Canvas() }`.
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: Tells it apart from others of the type; nil for one without a name.
    ///   - lifetime: As for a creator that suspends.
    ///   - fileID: Where it is registered; filled in by the compiler.
    ///   - line: Where it is registered; filled in by the compiler.
    ///   - creator: Makes an instance, on the main actor.
    ///   - onDispose: As for a creator that does not suspend; not on the main actor.
    ///   - onAsyncDispose: As `onDispose`, for what has to be waited for; only the asynchronous `shutdown()` does wait.
    /// - Returns: A token for ``remove(_:)``. The container does not need it.
    /// - Complexity: Constant, amortised.
    /// - Note: Concurrency. As for a creator that suspends.
    @discardableResult
    public func register<Service: Sendable>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .singleton,
        fileID: StaticString = #fileID, line: UInt = #line,
        creator: @escaping @MainActor @Sendable (DependencyContainer) throws -> Service,
        onDispose: ((Service) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Service) async throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        add(
            ServiceDefinition<Service, Void>(
                ServiceKey(named: name), name, lifetime, CallSite(fileID, line),
                .asynchronous { container, _ in try await creator(container) },
                hooks: DisposalHooks(sync: onDispose, async: onAsyncDispose)))
    }
}

// MARK: - Arguments

extension DependencyContainer {
    /// Registers a creator that takes arguments from whoever asks.
    ///
    /// ```swift
    /// container.register(Invoice.self) { (container, customer: Int, currency: String) in
    ///     Invoice(customer: customer, currency: currency)
    /// }
    /// let invoice = container.resolve(Invoice.self, arguments: 7, "EUR")
    /// ```
    ///
    /// The types of the arguments belong to what identifies the registration: others of the same service with other arguments
    /// stand beside it.
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: Tells it apart from others of the type; nil for one without a name.
    ///   - lifetime: ``Lifetime/transient``, or ``Lifetime/keyed`` for one instance for each value of the arguments. In other
    ///     lifetimes the first arguments would decide for all that come after, so these are refused.
    ///   - fileID: Where it is registered; filled in by the compiler.
    ///   - line: Where it is registered; filled in by the compiler.
    ///   - creator: Makes an instance of the container and the arguments.
    ///   - onDispose: As for a creator without arguments; for instances that are kept.
    ///   - onAsyncDispose: As `onDispose`, for what has to be waited for; only the asynchronous `shutdown()` does wait.
    /// - Returns: A token for ``remove(_:)``. The container does not need it.
    /// - Complexity: Constant, amortised.
    /// - Note: Concurrency. As for a creator without arguments.
    @inlinable
    @discardableResult
    public func register<Service, First, each Rest>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .transient,
        fileID: StaticString = #fileID, line: UInt = #line,
        creator: @escaping (DependencyContainer, First, repeat each Rest) throws -> Service,
        onDispose: ((Service) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Service) async throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        addDirect(
            ServiceKey(arguments: (First, (repeat each Rest)).self, named: name), name, lifetime,
            CallSite(fileID, line),
            hashable: hashable(First.self, repeat (each Rest).self), onDispose, onAsyncDispose
        ) { container, arguments in
            try creator(container, arguments.0, repeat each arguments.1)
        }
    }

    /// Registers a creator that takes arguments from whoever asks, and suspends.
    ///
    /// ```swift
    /// container.register(Profile.self, lifetime: .keyed) { (_, id: Int) async throws in
    ///     try await Profile.load(id)
    /// }
    /// let profile = try await container.asyncResolve(Profile.self, arguments: 7)
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: Tells it apart from others of the type; nil for one without a name.
    ///   - lifetime: As for a creator that does not suspend.
    ///   - fileID: Where it is registered; filled in by the compiler.
    ///   - line: Where it is registered; filled in by the compiler.
    ///   - creator: Makes an instance of the container and the arguments.
    ///   - onDispose: As for a creator without arguments; for instances that are kept.
    ///   - onAsyncDispose: As `onDispose`, for what has to be waited for; only the asynchronous `shutdown()` does wait.
    /// - Returns: A token for ``remove(_:)``. The container does not need it.
    /// - Complexity: Constant, amortised.
    /// - Note: Concurrency. As for a creator that suspends and takes no arguments.
    @discardableResult
    public func register<Service: Sendable, First: Sendable, each Rest: Sendable>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .transient,
        fileID: StaticString = #fileID, line: UInt = #line,
        creator: @escaping @Sendable (DependencyContainer, First, repeat each Rest) async throws -> Service,
        onDispose: ((Service) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Service) async throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        add(
            ServiceDefinition(
                ServiceKey(arguments: (First, (repeat each Rest)).self, named: name), name, lifetime,
                CallSite(fileID, line),
                .asynchronous { container, arguments in
                    try await creator(container, arguments.0, repeat each arguments.1)
                }, hooks: DisposalHooks(sync: onDispose, async: onAsyncDispose),
                hashable: hashable(First.self, repeat (each Rest).self)))
    }

    /// The part that need not know how many arguments there are.
    @usableFromInline
    func addDirect<Service, Arguments>(
        _ key: ServiceKey<Service>, _ name: DependencyName?, _ lifetime: Lifetime, _ callSite: CallSite,
        hashable: ((Arguments) -> [AnyHashable])?, _ onDispose: ((Service) throws -> Void)?,
        _ onAsyncDispose: (@Sendable (Service) async throws -> Void)?, overwriting: Bool = false,
        creator: @escaping (DependencyContainer, Arguments) throws -> Service
    ) -> ServiceRegistration<Service> {
        add(
            ServiceDefinition(
                key, name, lifetime, callSite, .synchronous(creator),
                hooks: DisposalHooks(sync: onDispose, async: onAsyncDispose), hashable: hashable),
            overwriting: overwriting)
    }
}

/// How arguments are made a key of; nil where one of them is not `Hashable`.
@usableFromInline
func hashable<First, each Rest>(
    _ first: First.Type, _ rest: repeat (each Rest).Type
) -> (((First, (repeat each Rest))) -> [AnyHashable])? {
    guard first is any Hashable.Type else { return nil }
    for type in repeat each rest {
        guard type is any Hashable.Type else { return nil }
    }
    return { arguments in
        // All of them are, as was just looked.
        var keys = [arguments.0 as! AnyHashable]
        for argument in repeat each arguments.1 { keys.append(argument as! AnyHashable) }
        return keys
    }
}
