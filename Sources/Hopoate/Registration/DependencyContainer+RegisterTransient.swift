// Services that are not Sendable: each caller gets an instance of its own, which may cross to another isolation.

extension DependencyContainer {
    /// Registers a factory whose instances need not be `Sendable`, because every resolve call gets a new one.
    ///
    /// ```swift
    /// final class Parser { var depth = 0 }
    ///
    /// container.register(transient: Parser.self) { _ in Parser() }
    /// let parser = container.resolve(transient: Parser.self)
    /// Task { parser.depth += 1 }  // the task owns the instance now
    /// ```
    ///
    /// The factory returns the instance as `sending`: the compiler checks that nothing else refers to it. So the caller may pass it to
    /// another task or actor. Get the instance with ``resolve(transient:named:fileID:line:)``.
    ///
    /// Options are the same as for
    /// ``register(_:named:lifetime:replacing:fileID:line:factory:afterCreation:onDispose:onAsyncDispose:)-6h4mx``. There is no
    /// `lifetime`, no `afterCreation` and no disposal hook. Traps if the container is sealed or shut down.
    ///
    /// - Complexity: Amortised constant; O(n) in the number of replaced registrations.
    @discardableResult
    public func register<Service>(
        transient serviceType: Service.Type, named name: DependencyName? = nil, replacing: Bool = false,
        fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (DependencyContainer) throws -> sending Service
    ) -> ServiceRegistration<Service> {
        add(
            ServiceDefinition<Service, Void>(
                key: ServiceKey(named: name), name: name, lifetime: .transient, callSite: CallSite(fileID, line),
                closures: .synchronous { container, _ in try factory(container) }, plain: factory, isSending: true),
            replacing: replacing)
    }

    /// Registers a transient factory that takes arguments. Its instances need not be `Sendable`.
    ///
    /// ```swift
    /// final class Parser { init(_ text: String) {} }
    ///
    /// container.register(transient: Parser.self) { (_, text: String) in Parser(text) }
    /// let parser = container.resolve(transient: Parser.self, arguments: "a + b")
    /// ```
    ///
    /// Options, traps and `sending` are the same as for ``register(transient:named:replacing:fileID:line:factory:)-hru1``. The
    /// argument types are part of the key, so `replacing` replaces only registrations with the same argument types.
    ///
    /// - Complexity: Amortised constant; O(n) in the number of replaced registrations.
    @discardableResult
    public func register<Service, First: Sendable, each Rest: Sendable>(
        transient serviceType: Service.Type, named name: DependencyName? = nil, replacing: Bool = false,
        fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (DependencyContainer, First, repeat each Rest) throws -> sending Service
    ) -> ServiceRegistration<Service> {
        add(
            ServiceDefinition<Service, (First, (repeat each Rest))>(
                key: ServiceKey(arguments: (First, (repeat each Rest)).self, named: name), name: name,
                lifetime: .transient, callSite: CallSite(fileID, line),
                closures: .synchronous { container, arguments in
                    try factory(container, arguments.0, repeat each arguments.1)
                }, isSending: true),
            replacing: replacing)
    }
}
