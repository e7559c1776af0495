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
    /// The static types of the arguments are part of the key. Registrations of the same service with other argument types exist side by
    /// side, and `replacing` replaces only those with the same argument types.
    ///
    /// `lifetime` is ``Lifetime/transient`` by default. With another lifetime there is one instance per argument value, and all arguments
    /// must be `Hashable`: ``Lifetime/keyed`` until the registration ends, ``Lifetime/keyed(limit:)`` until it leaves for newer ones,
    /// ``Lifetime/weak``, ``Lifetime/scoped``, ``Lifetime/graph`` or ``Lifetime/cached(in:)``. ``Lifetime/singleton`` and
    /// ``Lifetime/eager`` trap: the first caller's arguments would be reused for every later caller.
    ///
    /// Other options and traps are the same as for
    /// ``register(_:named:lifetime:replacing:fileID:line:factory:afterCreation:onDispose:onAsyncDispose:)-6h4mx``.
    ///
    /// - Complexity: Amortised constant; O(n) in the number of replaced registrations.
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
        ) { (container, arguments: (First, (repeat each Rest))) in
            try factory(container, arguments.0, repeat each arguments.1)
        }
    }

    /// Registers an asynchronous factory that takes arguments from the caller.
    ///
    /// ```swift
    /// container.register(Profile.self, lifetime: .keyed) { (_, id: Int) async throws in
    ///     try await Profile.load(id)
    /// }
    /// let profile = try await container.asyncResolve(Profile.self, arguments: 7)
    /// ```
    ///
    /// The factory may be isolated to an actor. Arguments, lifetimes and traps are the same as for
    /// ``register(_:named:lifetime:replacing:fileID:line:factory:afterCreation:onDispose:onAsyncDispose:)-6htb2``. The instance
    /// is created in the same way as by an asynchronous factory without arguments:
    /// ``register(_:named:lifetime:replacing:fileID:line:factory:afterCreation:onDispose:onAsyncDispose:)-4b698``.
    ///
    /// - Complexity: Amortised constant; O(n) in the number of replaced registrations.
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
                key: ServiceKey(arguments: (First, (repeat each Rest)).self, named: name), name: name,
                lifetime: lifetime, callSite: CallSite(fileID, line),
                closures: .asynchronous { (container, arguments: (First, (repeat each Rest))) in
                    try await factory(container, arguments.0, repeat each arguments.1)
                }, completion: afterCreation, hooks: DisposalHooks(sync: onDispose, async: onAsyncDispose),
                hashable: hashable(First.self, repeat (each Rest).self)),
            replacing: replacing)
    }

    /// The part that does not depend on the number of arguments.
    @usableFromInline
    func addSynchronous<Service, Arguments>(
        _ key: ServiceKey<Service>, _ name: DependencyName?, _ lifetime: Lifetime, _ callSite: CallSite,
        replacing: Bool, hashable: (any KeyedArguments.Type)?,
        _ afterCreation: ((Service, DependencyContainer) throws -> Void)?, _ onDispose: ((Service) throws -> Void)?,
        _ onAsyncDispose: (@Sendable (Service) async throws -> Void)?,
        factory: @escaping (DependencyContainer, Arguments) throws -> Service
    ) -> ServiceRegistration<Service> {
        add(
            ServiceDefinition(
                key: key, name: name, lifetime: lifetime, callSite: callSite, closures: .synchronous(factory),
                completion: afterCreation,
                hooks: DisposalHooks(sync: onDispose, async: onAsyncDispose), hashable: hashable),
            replacing: replacing)
    }
}
