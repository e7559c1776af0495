// Where the context says that the result may be nil, the type to ask for is the one inside. Without these, `parent.child =
// container.resolve()` would ask for a service of the type `Child?`, which nobody registers.

extension DependencyContainer {
    /// The newest service of a type that the context says, or nil where none is registered: where the result is optional.
    ///
    /// ```swift
    /// final class Cart { var greeter: (any Greeter)? }
    ///
    /// let cart = Cart()
    /// cart.greeter = container.resolve()
    /// ```
    ///
    /// - Parameter name: The name it was registered with; nil for one without.
    /// - Returns: The service, kept.
    /// - Complexity: As ``optionalResolve(_:)``.
    /// - Note: Concurrency. From any thread.
    @inlinable
    public func resolve<Service>(named name: DependencyName? = nil) -> Service? {
        optionalResolve(Service.self, named: name)
    }

    /// The newest service of a type that the context says, or nil where none is registered: where the result is optional.
    ///
    /// ```swift
    /// struct Cart { var greeter: (any Greeter)? }
    ///
    /// container.register(Cart.self) { container in Cart(greeter: container()) }
    /// ```
    ///
    /// - Parameter name: The name it was registered with; nil for one without.
    /// - Returns: The service, kept.
    /// - Complexity: As ``optionalResolve(_:)``.
    /// - Note: Concurrency. From any thread.
    @inlinable
    public func callAsFunction<Service>(named name: DependencyName? = nil) -> Service? {
        optionalResolve(Service.self, named: name)
    }

    /// The service for arguments, or nil where none that takes such arguments is registered: where the result is optional.
    ///
    /// ```swift
    /// struct Order { var invoice: Invoice? }
    ///
    /// let order = Order(invoice: container(arguments: 7, "EUR"))
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name it was registered with; nil for one without.
    ///   - first: The first argument.
    ///   - rest: The others.
    /// - Returns: The service, kept.
    /// - Complexity: As ``resolve(_:named:arguments:_:fileID:line:)``.
    /// - Note: Concurrency. From any thread.
    @inlinable
    public func callAsFunction<Service, First, each Rest>(
        named name: DependencyName? = nil, arguments first: First, _ rest: repeat each Rest
    ) -> Service? {
        optionalResolve(Service.self, named: name, arguments: first, repeat each rest)
    }

    /// The newest service of a type that the context says, or an error: where the result goes to something optional.
    ///
    /// ```swift
    /// final class Cart { var greeter: (any Greeter)? }
    ///
    /// let cart = Cart()
    /// cart.greeter = try container.require()  // never nil
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name it was registered with; nil for one without.
    ///   - fileID: Where it is asked for; filled in by the compiler.
    ///   - line: Where it is asked for; filled in by the compiler.
    /// - Returns: The service, kept; never nil.
    /// - Throws: As ``require(_:named:fileID:line:)``.
    /// - Complexity: As ``require(_:named:fileID:line:)``.
    /// - Note: Concurrency. From any thread.
    @inlinable
    public func require<Service>(
        named name: DependencyName? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) throws(DependencyError) -> Service? {
        try require(Service.self, named: name, fileID: fileID, line: line)
    }
}
