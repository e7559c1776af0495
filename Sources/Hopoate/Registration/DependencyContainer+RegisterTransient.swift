// Services that are not Sendable: each caller gets an instance of its own, and the compiler lets it cross to another isolation.

extension DependencyContainer {
    /// Registers a factory whose instances need not be `Sendable`, because every resolve call gets a new one.
    ///
    /// ```swift
    /// final class Parser { var depth = 0 }
    ///
    /// container.register(transient: Parser.self) { _ in Parser() }
    /// let parser = container.resolve(transient: Parser.self)
    /// Task { parser.depth += 1 }  // the instance belongs to the task now
    /// ```
    ///
    /// The factory returns its instance as `sending`: the compiler checks that nobody else keeps it.
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: The name of the service; nil for a service without a name.
    ///   - replacing: Whether the registration replaces all others of the type with this name.
    ///   - factory: Creates an instance that nothing else refers to.
    /// - Returns: A token for ``remove(_:)``. The container does not need it.
    /// - Complexity: Amortised constant; linear in the number of registrations that are replaced.
    @discardableResult
    public func register<Service>(
        transient serviceType: Service.Type, named name: DependencyName? = nil, replacing: Bool = false,
        fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (DependencyContainer) throws -> sending Service
    ) -> ServiceRegistration<Service> {
        add(
            ServiceDefinition<Service, Void>(
                ServiceKey(named: name), name, .transient, CallSite(fileID, line),
                .synchronous { container, _ in try factory(container) }, isSending: true),
            replacing: replacing)
    }

    /// Registers a factory that takes arguments, and whose instances need not be `Sendable`.
    ///
    /// ```swift
    /// final class Parser { init(_ text: String) {} }
    ///
    /// container.register(transient: Parser.self) { (_, text: String) in Parser(text) }
    /// let parser = container.resolve(transient: Parser.self, arguments: "a + b")
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: The name of the service; nil for a service without a name.
    ///   - replacing: Whether the registration replaces all others of the type with this name and such arguments.
    ///   - factory: Creates an instance that nothing else refers to.
    /// - Returns: A token for ``remove(_:)``. The container does not need it.
    /// - Complexity: Amortised constant; linear in the number of registrations that are replaced.
    @discardableResult
    public func register<Service, First: Sendable, each Rest: Sendable>(
        transient serviceType: Service.Type, named name: DependencyName? = nil, replacing: Bool = false,
        fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (DependencyContainer, First, repeat each Rest) throws -> sending Service
    ) -> ServiceRegistration<Service> {
        add(
            ServiceDefinition<Service, (First, (repeat each Rest))>(
                ServiceKey(arguments: (First, (repeat each Rest)).self, named: name), name, .transient,
                CallSite(fileID, line),
                .synchronous { container, arguments in
                    try factory(container, arguments.0, repeat each arguments.1)
                }, isSending: true),
            replacing: replacing)
    }
}
