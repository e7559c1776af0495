// If the context expects an optional, these overloads resolve the wrapped type. Without them, `parent.child = container.resolve()` would
// look for a service of the type `Child?`, which nobody registers.

extension DependencyContainer {
    /// Returns the newest service of the type that the context expects, or nil if there is none.
    ///
    /// ```swift
    /// final class Cart { var greeter: (any Greeter)? }
    ///
    /// let cart = Cart()
    /// cart.greeter = container.resolve()
    /// ```
    ///
    /// The compiler picks this form if the context expects an optional. Traps if the service is registered but cannot be
    /// created.
    ///
    /// - Parameter name: The name that the service is registered with; nil for an unnamed service.
    /// - Complexity: That of ``resolve(_:fileID:line:)``.
    @inlinable
    public func resolve<Service>(named name: DependencyName? = nil) -> Service? {
        optionalResolve(Service.self, named: name)
    }

    /// Returns the newest service of the type that the context expects, or nil if there is none.
    ///
    /// ```swift
    /// struct Cart { var greeter: (any Greeter)? }
    ///
    /// container.register(Cart.self) { container in try Cart(greeter: container()) }
    /// ```
    ///
    /// The compiler picks this form if the context expects an optional.
    ///
    /// - Throws: The same errors as ``require(_:named:fileID:line:)``, except for a missing service.
    /// - Complexity: That of ``resolve(_:fileID:line:)``.
    @inlinable
    public func callAsFunction<Service>(
        named name: DependencyName? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) throws(DependencyError) -> Service? {
        let key = ServiceKey<Service>(named: name)
        defer { withExtendedLifetime(self) {} }
        let lookup = lookUp(key.erased)
        if let instance = lookup.existing(key, in: self) { return instance }
        lookup.end()
        return try findSlow(key, CallSite(fileID, line))
    }

    /// Returns the newest service of the type that the context expects, or throws an error that explains the failure.
    ///
    /// ```swift
    /// final class Cart { var greeter: (any Greeter)? }
    ///
    /// let cart = Cart()
    /// cart.greeter = try container.require()  // never nil
    /// ```
    ///
    /// The compiler picks this form if the result is assigned to an optional. Otherwise it is the same as
    /// ``require(_:named:fileID:line:)``.
    ///
    /// - Returns: The service; never nil.
    /// - Throws: The same errors as ``require(_:named:fileID:line:)``.
    /// - Complexity: That of ``resolve(_:fileID:line:)``.
    @inlinable
    public func require<Service>(
        named name: DependencyName? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) throws(DependencyError) -> Service? {
        try require(Service.self, named: name, fileID: fileID, line: line)
    }
}
