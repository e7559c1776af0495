// The compiler does not unroll parameter packs, so in the form for any number of parameters each of them is resolved by code
// that is not specialised, which costs three times as much. These are for the numbers that most initializers have.

extension DependencyContainer {
    /// Registers an initializer with one parameter. As the form for any number, of which it is a faster one.
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: Tells it apart from others of the type; nil for one without a name.
    ///   - lifetime: How long an instance lives, and who shares it.
    ///   - fileID: Where it is registered; filled in by the compiler.
    ///   - line: Where it is registered; filled in by the compiler.
    ///   - initializer: Makes an instance of its dependencies.
    ///   - onDispose: As for a creator.
    ///   - onAsyncDispose: As for a creator.
    /// - Returns: A token for ``remove(_:)``.
    /// - Complexity: Constant, amortised.
    /// - Note: Concurrency. As for a creator.
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func register<Service, First>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .singleton,
        fileID: StaticString = #fileID, line: UInt = #line,
        using initializer: @escaping (First) throws -> Service,
        onDispose: ((Service) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Service) async throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        addConstructor(
            ServiceKey(named: name), name, lifetime, CallSite(fileID, line),
            requirements(First.self), suspending(initializer), onDispose,
            onAsyncDispose
        ) { container, _ in
            try initializer(
                container.parameter(First.self))
        }
    }

    /// Registers an initializer with two parameters. As the form for any number, of which it is a faster one.
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: Tells it apart from others of the type; nil for one without a name.
    ///   - lifetime: How long an instance lives, and who shares it.
    ///   - fileID: Where it is registered; filled in by the compiler.
    ///   - line: Where it is registered; filled in by the compiler.
    ///   - initializer: Makes an instance of its dependencies.
    ///   - onDispose: As for a creator.
    ///   - onAsyncDispose: As for a creator.
    /// - Returns: A token for ``remove(_:)``.
    /// - Complexity: Constant, amortised.
    /// - Note: Concurrency. As for a creator.
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func register<Service, First, Second>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .singleton,
        fileID: StaticString = #fileID, line: UInt = #line,
        using initializer: @escaping (First, Second) throws -> Service,
        onDispose: ((Service) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Service) async throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        addConstructor(
            ServiceKey(named: name), name, lifetime, CallSite(fileID, line),
            requirements(First.self, Second.self), suspending(initializer), onDispose,
            onAsyncDispose
        ) { container, _ in
            try initializer(
                container.parameter(First.self), container.parameter(Second.self))
        }
    }

    /// Registers an initializer with three parameters. As the form for any number, of which it is a faster one.
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: Tells it apart from others of the type; nil for one without a name.
    ///   - lifetime: How long an instance lives, and who shares it.
    ///   - fileID: Where it is registered; filled in by the compiler.
    ///   - line: Where it is registered; filled in by the compiler.
    ///   - initializer: Makes an instance of its dependencies.
    ///   - onDispose: As for a creator.
    ///   - onAsyncDispose: As for a creator.
    /// - Returns: A token for ``remove(_:)``.
    /// - Complexity: Constant, amortised.
    /// - Note: Concurrency. As for a creator.
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func register<Service, First, Second, Third>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .singleton,
        fileID: StaticString = #fileID, line: UInt = #line,
        using initializer: @escaping (First, Second, Third) throws -> Service,
        onDispose: ((Service) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Service) async throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        addConstructor(
            ServiceKey(named: name), name, lifetime, CallSite(fileID, line),
            requirements(First.self, Second.self, Third.self), suspending(initializer), onDispose,
            onAsyncDispose
        ) { container, _ in
            try initializer(
                container.parameter(First.self), container.parameter(Second.self), container.parameter(Third.self))
        }
    }

    /// Registers an initializer with four parameters. As the form for any number, of which it is a faster one.
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: Tells it apart from others of the type; nil for one without a name.
    ///   - lifetime: How long an instance lives, and who shares it.
    ///   - fileID: Where it is registered; filled in by the compiler.
    ///   - line: Where it is registered; filled in by the compiler.
    ///   - initializer: Makes an instance of its dependencies.
    ///   - onDispose: As for a creator.
    ///   - onAsyncDispose: As for a creator.
    /// - Returns: A token for ``remove(_:)``.
    /// - Complexity: Constant, amortised.
    /// - Note: Concurrency. As for a creator.
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func register<Service, First, Second, Third, Fourth>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .singleton,
        fileID: StaticString = #fileID, line: UInt = #line,
        using initializer: @escaping (First, Second, Third, Fourth) throws -> Service,
        onDispose: ((Service) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Service) async throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        addConstructor(
            ServiceKey(named: name), name, lifetime, CallSite(fileID, line),
            requirements(First.self, Second.self, Third.self, Fourth.self), suspending(initializer), onDispose,
            onAsyncDispose
        ) { container, _ in
            try initializer(
                container.parameter(First.self), container.parameter(Second.self), container.parameter(Third.self),
                container.parameter(Fourth.self))
        }
    }

    /// Registers an initializer with five parameters. As the form for any number, of which it is a faster one.
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: Tells it apart from others of the type; nil for one without a name.
    ///   - lifetime: How long an instance lives, and who shares it.
    ///   - fileID: Where it is registered; filled in by the compiler.
    ///   - line: Where it is registered; filled in by the compiler.
    ///   - initializer: Makes an instance of its dependencies.
    ///   - onDispose: As for a creator.
    ///   - onAsyncDispose: As for a creator.
    /// - Returns: A token for ``remove(_:)``.
    /// - Complexity: Constant, amortised.
    /// - Note: Concurrency. As for a creator.
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func register<Service, First, Second, Third, Fourth, Fifth>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .singleton,
        fileID: StaticString = #fileID, line: UInt = #line,
        using initializer: @escaping (First, Second, Third, Fourth, Fifth) throws -> Service,
        onDispose: ((Service) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Service) async throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        addConstructor(
            ServiceKey(named: name), name, lifetime, CallSite(fileID, line),
            requirements(First.self, Second.self, Third.self, Fourth.self, Fifth.self), suspending(initializer),
            onDispose,
            onAsyncDispose
        ) { container, _ in
            try initializer(
                container.parameter(First.self), container.parameter(Second.self), container.parameter(Third.self),
                container.parameter(Fourth.self), container.parameter(Fifth.self))
        }
    }
}
