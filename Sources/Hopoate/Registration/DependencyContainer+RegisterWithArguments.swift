extension DependencyContainer {
    /// Registers a factory that takes arguments from the caller.
    ///
    /// ```swift
    /// container.register(Invoice.self) { (container, customer: Int, currency: String) in
    ///     Invoice(customer: customer, currency: currency)
    /// }
    /// let invoice = container.resolve(Invoice.self, arguments: 7, "EUR")
    /// ```
    ///
    /// The types of the arguments are part of the key: registrations of the same service with other arguments stand beside it.
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: The name of the service; nil for a service without a name.
    ///   - lifetime: ``Lifetime/transient``, or ``Lifetime/keyed`` for one instance per value of the arguments. Other lifetimes are
    ///     refused: the first caller's arguments would be reused for every later caller.
    ///   - replacing: Whether the registration replaces all others of the type with this name and such arguments.
    ///   - factory: Creates an instance from the container and the arguments.
    ///   - afterCreation: Completes a new instance.
    ///   - onDispose: Runs when the container releases an instance that it kept.
    ///   - onAsyncDispose: As `onDispose`; the asynchronous `shutdown()` waits for it.
    /// - Returns: A token for ``remove(_:)``. The container does not need it.
    /// - Complexity: As for a factory without arguments.
    @inlinable
    @discardableResult
    public func register<Service: Sendable, First: Sendable, each Rest: Sendable>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .transient,
        replacing: Bool = false, fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (DependencyContainer, First, repeat each Rest) throws -> Service,
        afterCreation: (@Sendable (Service, DependencyContainer) throws -> Void)? = nil,
        onDispose: (@Sendable (Service) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Service) async throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        addSynchronous(
            ServiceKey(arguments: (First, (repeat each Rest)).self, named: name), name, lifetime,
            CallSite(fileID, line), replacing: replacing,
            hashable: hashable(First.self, repeat (each Rest).self), afterCreation, onDispose, onAsyncDispose
        ) { container, arguments in
            try factory(container, arguments.0, repeat each arguments.1)
        }
    }

    /// Registers a factory that takes arguments from the caller, and suspends.
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
    ///   - name: The name of the service; nil for a service without a name.
    ///   - lifetime: As for a factory that does not suspend.
    ///   - replacing: Whether the registration replaces all others of the type with this name and such arguments.
    ///   - factory: Creates an instance from the container and the arguments. It may be isolated to an actor.
    ///   - afterCreation: Completes a new instance.
    ///   - onDispose: Runs when the container releases an instance that it kept.
    ///   - onAsyncDispose: As `onDispose`; the asynchronous `shutdown()` waits for it.
    /// - Returns: A token for ``remove(_:)``. The container does not need it.
    /// - Complexity: As for a factory without arguments.
    @discardableResult
    public func register<Service: Sendable, First: Sendable, each Rest: Sendable>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .transient,
        replacing: Bool = false, fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (DependencyContainer, First, repeat each Rest) async throws -> Service,
        afterCreation: (@Sendable (Service, DependencyContainer) throws -> Void)? = nil,
        onDispose: (@Sendable (Service) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Service) async throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        add(
            ServiceDefinition(
                ServiceKey(arguments: (First, (repeat each Rest)).self, named: name), name, lifetime,
                CallSite(fileID, line),
                .asynchronous { container, arguments in
                    try await factory(container, arguments.0, repeat each arguments.1)
                }, completion: afterCreation, hooks: DisposalHooks(sync: onDispose, async: onAsyncDispose),
                hashable: hashable(First.self, repeat (each Rest).self)),
            replacing: replacing)
    }

    /// The part that need not know how many arguments there are.
    @usableFromInline
    func addSynchronous<Service, Arguments>(
        _ key: ServiceKey<Service>, _ name: DependencyName?, _ lifetime: Lifetime, _ callSite: CallSite,
        replacing: Bool, hashable: ((Arguments) -> [AnyHashable])?,
        _ afterCreation: ((Service, DependencyContainer) throws -> Void)?, _ onDispose: ((Service) throws -> Void)?,
        _ onAsyncDispose: (@Sendable (Service) async throws -> Void)?,
        factory: @escaping (DependencyContainer, Arguments) throws -> Service
    ) -> ServiceRegistration<Service> {
        add(
            ServiceDefinition(
                key, name, lifetime, callSite, .synchronous(factory), completion: afterCreation,
                hooks: DisposalHooks(sync: onDispose, async: onAsyncDispose), hashable: hashable),
            replacing: replacing)
    }
}

/// How arguments become the key of an instance; nil if one of them is not `Hashable`.
@usableFromInline
func hashable<First, each Rest>(
    _ first: First.Type, _ rest: repeat (each Rest).Type
) -> (((First, (repeat each Rest))) -> [AnyHashable])? {
    guard first is any Hashable.Type else { return nil }
    for type in repeat each rest {
        guard type is any Hashable.Type else { return nil }
    }
    return { arguments in
        // All of them are, as was just checked.
        var keys = [arguments.0 as! AnyHashable]
        for argument in repeat each arguments.1 { keys.append(argument as! AnyHashable) }
        return keys
    }
}
