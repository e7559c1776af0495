// Noncopyable services: a file that closes itself, a lock, a buffer. The container owns such an instance, and callers can only borrow it.
// These overloads are disfavored: the compiler picks them only for types that are not known to be copyable.

extension DependencyContainer {
    /// Passes the newest service of a noncopyable type to a closure that borrows it. Traps if there is none.
    ///
    /// ```swift
    /// struct Journal: ~Copyable { func write(_ line: String) { print(line) } }
    /// container.register(noncopyable: Journal(), for: Journal.self)
    /// container.withService(Journal.self) { journal in journal.write("a line") }
    /// ```
    ///
    /// The compiler picks this form if the service type is not known to be copyable, for example in code that is generic over `~Copyable`
    /// types. This form finds only registered instances: a service that is registered with a factory counts as not registered.
    ///
    /// Several threads may run such closures with the same instance at once. Everything else is the same as for
    /// ``withService(_:named:fileID:line:_:)-1uwaq``.
    ///
    /// - Throws: The error of the closure.
    /// - Complexity: That of ``withService(_:named:fileID:line:_:)-1uwaq``.
    @inlinable
    @_disfavoredOverload
    public func withService<Service: ~Copyable, Output, Failure: Error>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, fileID: StaticString = #fileID,
        line: UInt = #line,
        _ body: (borrowing Service) throws(Failure) -> Output
    ) throws(Failure) -> Output {
        guard let output = try withOptionalService(serviceType, named: name, body) else {
            failMissingNoncopyable(ServiceKey<Service>(named: name), in: self, CallSite(fileID, line))
        }
        return output
    }

    /// Passes the newest service of a noncopyable type to a closure that borrows it. Returns nil if there is none.
    ///
    /// ```swift
    /// struct Journal: ~Copyable { func write(_ line: String) { print(line) } }
    /// container.withOptionalService(Journal.self) { journal in journal.write("a line") }
    /// ```
    ///
    /// The same as ``withService(_:named:fileID:line:_:)-v8gb``, but nil for a missing service.
    ///
    /// - Throws: The error of the closure.
    /// - Complexity: That of ``withService(_:named:fileID:line:_:)-1uwaq``.
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func withOptionalService<Service: ~Copyable, Output, Failure: Error>(
        _ serviceType: Service.Type, named name: DependencyName? = nil,
        _ body: (borrowing Service) throws(Failure) -> Output
    ) throws(Failure) -> Output? {
        try withExtendedLifetime((self, name)) { () throws(Failure) -> Output? in
            let key = ServiceKey<Service>(named: name)
            let lookup = lookUpBorrowed(key.erased)
            if let registration = lookup.registration(of: key) {
                defer { lookup.end() }
                return try borrow(of: registration, body)
            }
            let registration = lookUpRetained(key)
            defer { registration?.release() }
            return try borrow(of: registration, body)
        }
    }
}
