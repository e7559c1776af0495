// The escape from the compiler's checks. Its name shows in a review.

extension DependencyContainer {
    /// Registers a factory without the compiler's checks: neither the service nor the closures need be `Sendable`.
    ///
    /// ```swift
    /// final class LegacyCounter { var count = 0 }
    ///
    /// container.register(unchecked: LegacyCounter.self) { _ in LegacyCounter() }
    /// ```
    ///
    /// You promise what the compiler cannot see: that a shared instance is used by one thread at a time, and that the closures may run
    /// on any thread. For an instance per resolve call there is a checked form:
    /// ``register(transient:named:replacing:fileID:line:factory:)-hru1``.
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: The name of the service; nil for a service without a name.
    ///   - lifetime: How long an instance lives, and who shares it.
    ///   - replacing: Whether the registration replaces all others of the type with this name.
    ///   - factory: Creates an instance.
    ///   - afterCreation: Completes a new instance.
    ///   - onDispose: Runs when the container releases an instance.
    /// - Returns: A token for ``remove(_:)``. The container does not need it.
    /// - Complexity: Amortised constant; linear in the number of registrations that are replaced.
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
                ServiceKey(named: name), name, lifetime, CallSite(fileID, line),
                .synchronous { container, _ in try factory(container) },
                completion: afterCreation, hooks: DisposalHooks(sync: onDispose, async: nil)),
            replacing: replacing)
    }

    /// Registers a factory that takes arguments, without the compiler's checks.
    ///
    /// ```swift
    /// final class LegacyParser { init(_ text: String) {} }
    ///
    /// container.register(unchecked: LegacyParser.self) { (_, text: String) in LegacyParser(text) }
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: The name of the service; nil for a service without a name.
    ///   - lifetime: ``Lifetime/transient`` or ``Lifetime/keyed``.
    ///   - replacing: Whether the registration replaces all others of the type with this name and such arguments.
    ///   - factory: Creates an instance from the container and the arguments.
    ///   - afterCreation: Completes a new instance.
    ///   - onDispose: Runs when the container releases an instance that it kept.
    /// - Returns: A token for ``remove(_:)``. The container does not need it.
    /// - Complexity: Amortised constant; linear in the number of registrations that are replaced.
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
        ) { container, arguments in
            try factory(container, arguments.0, repeat each arguments.1)
        }
    }
}
