extension DependencyContainer {
    /// Registers a factory, and how long its instances live.
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
    /// A factory runs on any thread, so the compiler checks that it may: the closure is `@Sendable`, and the service is `Sendable`. For
    /// a service that is not, see ``register(transient:named:replacing:fileID:line:factory:)-hru1`` and
    /// ``register(unchecked:named:lifetime:replacing:fileID:line:factory:afterCreation:onDispose:)-8p3c``.
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: The name of the service; nil for a service without a name.
    ///   - lifetime: How long an instance lives, and who shares it.
    ///   - replacing: Whether the registration replaces all others of the type with this name, in one atomic step, instead of
    ///     shadowing them.
    ///   - factory: Creates an instance. It gets the container that was asked or, for an instance that outlives that, the container
    ///     that holds the registration. If it throws, nothing is kept, and the next resolve call tries again.
    ///   - afterCreation: Completes a new instance. A resolve call inside it gets that instance, so two services can get to know each
    ///     other here.
    ///   - onDispose: Runs when the container releases an instance: by ``remove(_:)``, a replacing registration, ``removeAll()``,
    ///     `shutdown()`, or its own end.
    ///   - onAsyncDispose: As `onDispose`; the asynchronous `shutdown()` waits for it.
    /// - Returns: A token for ``remove(_:)``. The container does not need it.
    /// - Complexity: Amortised constant; linear in the number of registrations that are replaced. The factory runs on first use, an
    ///   eager one now.
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
                ServiceKey(named: name), name, lifetime, CallSite(fileID, line),
                .synchronous { container, _ in try factory(container) },
                completion: afterCreation, hooks: DisposalHooks(sync: onDispose, async: onAsyncDispose)),
            replacing: replacing)
    }

    /// Registers a factory that suspends.
    ///
    /// ```swift
    /// container.register(Database.self) { _ in
    ///     try await Database.connect()
    /// }
    /// let database = try await container.asyncResolve(Database.self)
    /// ```
    ///
    /// Concurrent callers share one creation, and no thread is blocked. Once the instance exists, ``resolve(_:fileID:line:)`` finds it
    /// too; before, that traps with ``DependencyError/Reason/onlyAsynchronous``. A failure is not kept: its waiters get it, the next
    /// caller tries again.
    ///
    /// For a factory on an actor of your own, say that it is asynchronous: `{ @Rendering _ async in Canvas() }`.
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: The name of the service; nil for a service without a name.
    ///   - lifetime: How long an instance lives, and who shares it. Not eager, since `register` cannot wait: create it with
    ///     ``warmUp(isolation:)``.
    ///   - replacing: Whether the registration replaces all others of the type with this name.
    ///   - factory: Creates an instance, in a task of its own if it is shared: cancelling one waiter does not cancel it.
    ///   - afterCreation: Completes a new instance.
    ///   - onDispose: Runs when the container releases an instance.
    ///   - onAsyncDispose: As `onDispose`; the asynchronous `shutdown()` waits for it.
    /// - Returns: A token for ``remove(_:)``. The container does not need it.
    /// - Complexity: As for a factory that does not suspend.
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
                ServiceKey(named: name), name, lifetime, CallSite(fileID, line),
                .asynchronous { container, _ in try await factory(container) },
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
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: The name of the service; nil for a service without a name.
    ///   - lifetime: As for a factory that suspends.
    ///   - replacing: Whether the registration replaces all others of the type with this name.
    ///   - isolation: The main actor. Not to be passed: it tells this form from the others.
    ///   - factory: Creates an instance, on the main actor.
    ///   - afterCreation: Completes a new instance; not on the main actor.
    ///   - onDispose: Runs when the container releases an instance; not on the main actor.
    ///   - onAsyncDispose: As `onDispose`; the asynchronous `shutdown()` waits for it.
    /// - Returns: A token for ``remove(_:)``. The container does not need it.
    /// - Complexity: As for a factory that does not suspend.
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
                ServiceKey(named: name), name, lifetime, CallSite(fileID, line),
                .asynchronous { container, _ in try await factory(container) },
                completion: afterCreation, hooks: DisposalHooks(sync: onDispose, async: onAsyncDispose)),
            replacing: replacing)
    }
}
