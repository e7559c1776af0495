// The escape from the compiler's sendability checks. Its label makes each use visible in a review.

extension DependencyContainer {
    /// Registers a factory without sendability checks: neither the service nor the closures need be `Sendable`.
    ///
    /// ```swift
    /// final class LegacyCounter { var count = 0 }
    ///
    /// container.register(unchecked: LegacyCounter.self) { _ in LegacyCounter() }
    /// ```
    ///
    /// **The compiler does not check sendability here.** You guarantee two things: only one thread at a time uses a shared instance, and
    /// the closures may run on any thread. If each resolve call can have its own instance, use the checked form
    /// ``register(transient:named:replacing:fileID:line:factory:)-hru1``.
    ///
    /// Options and traps are the same as for
    /// ``register(_:named:lifetime:replacing:fileID:line:factory:afterCreation:onDispose:onAsyncDispose:)-6h4mx``. There is no
    /// asynchronous disposal hook.
    ///
    /// - Complexity: Amortised constant; O(n) in the number of replaced registrations. An eager factory runs inside the call.
    @discardableResult
    public func register<Service>(
        unchecked serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .singleton,
        replacing: Bool = false, fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping (DependencyContainer) throws -> Service,
        afterCreation: ((Service, DependencyContainer) throws -> Void)? = nil,
        onDispose: ((Service) throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        add(
            ServiceDefinition<Service, Void>(
                key: ServiceKey(named: name), name: name, lifetime: lifetime, callSite: CallSite(fileID, line),
                closures: .synchronous { container, _ in try factory(container) }, plain: factory,
                completion: afterCreation, hooks: DisposalHooks(sync: onDispose, async: nil)),
            replacing: replacing)
    }

    /// Registers a factory with arguments, without sendability checks.
    ///
    /// ```swift
    /// final class LegacyParser { init(_ text: String) {} }
    ///
    /// container.register(unchecked: LegacyParser.self) { (_, text: String) in LegacyParser(text) }
    /// ```
    ///
    /// **The compiler does not check sendability here.** You give the same guarantees as for
    /// ``register(unchecked:named:lifetime:replacing:fileID:line:factory:afterCreation:onDispose:)-8p3c``; they include the arguments.
    /// Lifetimes and traps are the same as for
    /// ``register(_:named:lifetime:replacing:fileID:line:factory:afterCreation:onDispose:onAsyncDispose:)-6htb2``.
    ///
    /// - Complexity: Amortised constant; O(n) in the number of replaced registrations.
    @inlinable
    @discardableResult
    public func register<Service, First, each Rest>(
        unchecked serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .transient,
        replacing: Bool = false, fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping (DependencyContainer, First, repeat each Rest) throws -> Service,
        afterCreation: ((Service, DependencyContainer) throws -> Void)? = nil,
        onDispose: ((Service) throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        addSynchronous(
            ServiceKey(arguments: (First, (repeat each Rest)).self, named: name), name, lifetime,
            CallSite(fileID, line), replacing: replacing,
            hashable: hashable(First.self, repeat (each Rest).self), afterCreation, onDispose, nil
        ) { (container, arguments: (First, (repeat each Rest))) in
            try factory(container, arguments.0, repeat each arguments.1)
        }
    }
}
