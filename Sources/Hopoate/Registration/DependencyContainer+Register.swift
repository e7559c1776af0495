extension DependencyContainer {
    /// Registers a factory for a service.
    ///
    /// ```swift
    /// container.register(Checkout.self, lifetime: .transient) { container in
    ///     try Checkout(greeter: container(), log: container())
    /// }
    /// container.register((any Log).self, named: .audit) { _ in
    ///     FileLog("audit.log")
    /// } onDispose: { log in
    ///     log.flush()
    /// }
    /// ```
    ///
    /// The newest registration of a type and name shadows the older ones. When it is removed, the one below is found again.
    ///
    /// Any thread may run the factory, so the compiler requires a `@Sendable` closure and a `Sendable` service. For other services, see
    /// ``register(transient:named:replacing:fileID:line:factory:)-hru1`` and
    /// ``register(unchecked:named:lifetime:replacing:fileID:line:factory:afterCreation:onDispose:)-8p3c``.
    ///
    /// Traps if the container is sealed or shut down, if an ``Lifetime/eager`` factory throws, or if the options contradict each other:
    /// - ``Lifetime/weak`` for a type that is not class-bound;
    /// - ``Lifetime/keyed`` or ``Lifetime/keyed(limit:)`` for a factory without arguments;
    /// - a disposal hook with ``Lifetime/transient``, ``Lifetime/graph`` or ``Lifetime/weak``, because the container does not own their
    ///   instances.
    ///
    /// - Parameters:
    ///   - serviceType: The type to register the service under.
    ///   - name: The name of the service; nil for an unnamed service.
    ///   - lifetime: How long an instance lives, and which callers share it.
    ///   - replacing: Whether the registration atomically replaces all others of this type and name, instead of shadowing them.
    ///   - factory: Creates an instance. With ``Lifetime/transient``, ``Lifetime/graph`` and ``Lifetime/scoped`` it gets the container of
    ///     the resolve call, with all other lifetimes the container of the registration. If it throws, nothing is cached, and the next
    ///     resolve call runs it again.
    ///   - afterCreation: Completes a new instance. It runs when all instances of the outermost creation exist, and before a caller gets
    ///     one of them. So a service can resolve another one here that takes it in its initializer; see <doc:Lifetimes>. An eager
    ///     instance is not registered yet. If the closure throws, the outermost creation fails.
    ///   - onDispose: Runs once for each instance, when the container releases it: on ``remove(_:)``, on replacement, on
    ///     ``removeAll()``, on the reset of its scope, on `shutdown()`, and when the container is deinitialized. `shutdown()` reports the
    ///     errors that it throws; every other release ignores them.
    ///   - onAsyncDispose: The same as `onDispose`, but it may suspend. `shutdown()` waits for it. Every other release
    ///     starts it in a task of its own.
    /// - Returns: A token for ``remove(_:)``. You need not keep it.
    /// - Complexity: Amortised constant; O(n) in the number of replaced registrations. An eager factory runs inside the call.
    @discardableResult
    public func register<Service: Sendable>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .singleton,
        replacing: Bool = false, fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (DependencyContainer) throws -> Service,
        afterCreation: (@Sendable (Service, DependencyContainer) throws -> Void)? = nil,
        onDispose: (@Sendable (Service) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Service) async throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        add(
            ServiceDefinition<Service, Void>(
                key: ServiceKey(named: name), name: name, lifetime: lifetime, callSite: CallSite(fileID, line),
                closures: .synchronous { container, _ in try factory(container) }, plain: factory,
                completion: afterCreation, hooks: DisposalHooks(sync: onDispose, async: onAsyncDispose)),
            replacing: replacing)
    }

    /// Registers an asynchronous factory for a service.
    ///
    /// ```swift
    /// container.register(Database.self) { _ in
    ///     try await Database.connect()
    /// }
    /// let database = try await container.asyncResolve(Database.self)
    /// ```
    ///
    /// Concurrent callers of ``asyncResolve(_:named:fileID:line:isolation:)`` share one creation, and no thread is blocked. A shared
    /// instance is created in a task of its own, so cancelling one waiter does not cancel the creation. If the factory throws, all waiters
    /// get the error, and the next caller starts a new creation.
    ///
    /// ``resolve(_:fileID:line:)`` finds the instance once it exists. Before that, it traps with
    /// ``DependencyError/Reason/onlyAsynchronous``.
    ///
    /// `afterCreation` runs as soon as the factory has returned, even if the service is created for another one.
    ///
    /// If the factory is isolated to your own global actor, mark it as asynchronous: `{ @Rendering _ async in Canvas() }`.
    ///
    /// Options and traps are the same as for
    /// ``register(_:named:lifetime:replacing:fileID:line:factory:afterCreation:onDispose:onAsyncDispose:)-6h4mx``. In addition, an
    /// ``Lifetime/eager`` lifetime traps, because `register` cannot wait for the factory. Use a singleton and ``warmUp(isolation:)``.
    ///
    /// - Complexity: Amortised constant; O(n) in the number of replaced registrations.
    @discardableResult
    public func register<Service: Sendable>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .singleton,
        replacing: Bool = false, fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (DependencyContainer) async throws -> Service,
        afterCreation: (@Sendable (Service, DependencyContainer) throws -> Void)? = nil,
        onDispose: (@Sendable (Service) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Service) async throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        add(
            ServiceDefinition<Service, Void>(
                key: ServiceKey(named: name), name: name, lifetime: lifetime, callSite: CallSite(fileID, line),
                closures: .asynchronous { container, _ in try await factory(container) },
                completion: afterCreation, hooks: DisposalHooks(sync: onDispose, async: onAsyncDispose)),
            replacing: replacing)
    }

    /// Registers a factory that runs on the main actor.
    ///
    /// ```swift
    /// container.register(Window.self) { @MainActor _ in Window() }
    /// let window = try await container.asyncResolve(Window.self)
    /// ```
    ///
    /// The compiler picks this form if the closure is isolated to `MainActor`. Do not pass `isolation`: it only tells the overloads apart.
    /// `afterCreation` and the disposal hooks are nonisolated. Everything else is the same as for an asynchronous factory:
    /// ``register(_:named:lifetime:replacing:fileID:line:factory:afterCreation:onDispose:onAsyncDispose:)-4b698``.
    ///
    /// - Complexity: Amortised constant; O(n) in the number of replaced registrations.
    @discardableResult
    public func register<Service: Sendable>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .singleton,
        replacing: Bool = false, isolation: MainActor.Type = MainActor.self, fileID: StaticString = #fileID,
        line: UInt = #line,
        factory: @escaping @MainActor @Sendable (DependencyContainer) throws -> Service,
        afterCreation: (@Sendable (Service, DependencyContainer) throws -> Void)? = nil,
        onDispose: (@Sendable (Service) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Service) async throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        add(
            ServiceDefinition<Service, Void>(
                key: ServiceKey(named: name), name: name, lifetime: lifetime, callSite: CallSite(fileID, line),
                closures: .asynchronous { container, _ in try await factory(container) },
                completion: afterCreation, hooks: DisposalHooks(sync: onDispose, async: onAsyncDispose)),
            replacing: replacing)
    }
}
