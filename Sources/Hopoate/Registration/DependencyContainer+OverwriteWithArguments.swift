extension DependencyContainer {
    /// Registers a creator that takes arguments, in the place of all registrations of the type that take such arguments and
    /// have the same name.
    ///
    /// ```swift
    /// container.overwriteExistingRegistrations(Invoice.self) { (_, customer: Int, currency: String) in
    ///     Invoice(customer: customer, currency: currency)
    /// }
    /// ```
    ///
    /// The replaced registrations are gone, and the instances that they kept for values of the arguments go with them.
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: The name; nil for those without. Registrations with other names or other arguments stay.
    ///   - lifetime: As for registering one.
    ///   - fileID: Where it is registered; filled in by the compiler.
    ///   - line: Where it is registered; filled in by the compiler.
    ///   - creator: Makes an instance of the container and the arguments.
    ///   - onDispose: Runs when the container lets go of an instance that it kept.
    ///   - onAsyncDispose: As `onDispose`, for what has to be waited for.
    /// - Returns: A token for ``remove(_:)``. The container does not need it.
    /// - Complexity: Linear in the number of registrations of the type with such arguments and that name.
    /// - Note: Concurrency. As ``overwriteExistingRegistrations(service:cacheService:fileID:line:creator:)``.
    @inlinable
    @discardableResult
    public func overwriteExistingRegistrations<Service, First, each Rest>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .transient,
        fileID: StaticString = #fileID, line: UInt = #line,
        creator: @escaping (DependencyContainer, First, repeat each Rest) throws -> Service,
        onDispose: ((Service) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Service) async throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        addDirect(
            ServiceKey(arguments: (First, (repeat each Rest)).self, named: name), name, lifetime,
            CallSite(fileID, line),
            hashable: hashable(First.self, repeat (each Rest).self), onDispose, onAsyncDispose, overwriting: true
        ) { container, arguments in
            try creator(container, arguments.0, repeat each arguments.1)
        }
    }
}
