// The compiler does not unroll parameter packs: the form for any number of parameters resolves each of them by code that looks up
// metadata at run time. These forms, for the numbers of parameters that most initializers have, are specialised in the user's module:
// a resolve call of a transient service with three dependencies takes 929 instructions instead of 4,848 (Swift 6.3, x86-64).

extension DependencyContainer {
    /// Registers an initializer with one parameter: faster than the form for any number, and otherwise the same.
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: The name of the service; nil for a service without a name.
    ///   - lifetime: How long an instance lives, and who shares it.
    ///   - replacing: Whether the registration replaces all others of the type with this name.
    ///   - initializer: Creates an instance from its dependencies.
    ///   - afterCreation: Completes a new instance.
    ///   - onDispose: Runs when the container releases an instance.
    ///   - onAsyncDispose: As `onDispose`; the asynchronous `shutdown()` waits for it.
    /// - Returns: A token for ``remove(_:)``.
    /// - Complexity: As for a factory.
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func register<Service: Sendable, First>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .singleton,
        replacing: Bool = false, fileID: StaticString = #fileID, line: UInt = #line,
        using initializer: @escaping @Sendable (First) throws -> Service,
        afterCreation: (@Sendable (Service, DependencyContainer) throws -> Void)? = nil,
        onDispose: (@Sendable (Service) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Service) async throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        addInitializer(
            ServiceKey(named: name), name, lifetime, CallSite(fileID, line), replacing,
            requirements(First.self),
            suspending(initializer), afterCreation, onDispose, onAsyncDispose
        ) { container, _ in
            try initializer(
                container.parameter(First.self))
        }
    }

    /// Registers an initializer with two parameters: faster than the form for any number, and otherwise the same.
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: The name of the service; nil for a service without a name.
    ///   - lifetime: How long an instance lives, and who shares it.
    ///   - replacing: Whether the registration replaces all others of the type with this name.
    ///   - initializer: Creates an instance from its dependencies.
    ///   - afterCreation: Completes a new instance.
    ///   - onDispose: Runs when the container releases an instance.
    ///   - onAsyncDispose: As `onDispose`; the asynchronous `shutdown()` waits for it.
    /// - Returns: A token for ``remove(_:)``.
    /// - Complexity: As for a factory.
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func register<Service: Sendable, First, Second>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .singleton,
        replacing: Bool = false, fileID: StaticString = #fileID, line: UInt = #line,
        using initializer: @escaping @Sendable (First, Second) throws -> Service,
        afterCreation: (@Sendable (Service, DependencyContainer) throws -> Void)? = nil,
        onDispose: (@Sendable (Service) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Service) async throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        addInitializer(
            ServiceKey(named: name), name, lifetime, CallSite(fileID, line), replacing,
            requirements(First.self, Second.self),
            suspending(initializer), afterCreation, onDispose, onAsyncDispose
        ) { container, _ in
            try initializer(
                container.parameter(First.self), container.parameter(Second.self))
        }
    }

    /// Registers an initializer with three parameters: faster than the form for any number, and otherwise the same.
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: The name of the service; nil for a service without a name.
    ///   - lifetime: How long an instance lives, and who shares it.
    ///   - replacing: Whether the registration replaces all others of the type with this name.
    ///   - initializer: Creates an instance from its dependencies.
    ///   - afterCreation: Completes a new instance.
    ///   - onDispose: Runs when the container releases an instance.
    ///   - onAsyncDispose: As `onDispose`; the asynchronous `shutdown()` waits for it.
    /// - Returns: A token for ``remove(_:)``.
    /// - Complexity: As for a factory.
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func register<Service: Sendable, First, Second, Third>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .singleton,
        replacing: Bool = false, fileID: StaticString = #fileID, line: UInt = #line,
        using initializer: @escaping @Sendable (First, Second, Third) throws -> Service,
        afterCreation: (@Sendable (Service, DependencyContainer) throws -> Void)? = nil,
        onDispose: (@Sendable (Service) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Service) async throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        addInitializer(
            ServiceKey(named: name), name, lifetime, CallSite(fileID, line), replacing,
            requirements(First.self, Second.self, Third.self),
            suspending(initializer), afterCreation, onDispose, onAsyncDispose
        ) { container, _ in
            try initializer(
                container.parameter(First.self), container.parameter(Second.self), container.parameter(Third.self))
        }
    }

    /// Registers an initializer with four parameters: faster than the form for any number, and otherwise the same.
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: The name of the service; nil for a service without a name.
    ///   - lifetime: How long an instance lives, and who shares it.
    ///   - replacing: Whether the registration replaces all others of the type with this name.
    ///   - initializer: Creates an instance from its dependencies.
    ///   - afterCreation: Completes a new instance.
    ///   - onDispose: Runs when the container releases an instance.
    ///   - onAsyncDispose: As `onDispose`; the asynchronous `shutdown()` waits for it.
    /// - Returns: A token for ``remove(_:)``.
    /// - Complexity: As for a factory.
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func register<Service: Sendable, First, Second, Third, Fourth>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .singleton,
        replacing: Bool = false, fileID: StaticString = #fileID, line: UInt = #line,
        using initializer: @escaping @Sendable (First, Second, Third, Fourth) throws -> Service,
        afterCreation: (@Sendable (Service, DependencyContainer) throws -> Void)? = nil,
        onDispose: (@Sendable (Service) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Service) async throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        addInitializer(
            ServiceKey(named: name), name, lifetime, CallSite(fileID, line), replacing,
            requirements(First.self, Second.self, Third.self, Fourth.self),
            suspending(initializer), afterCreation, onDispose, onAsyncDispose
        ) { container, _ in
            try initializer(
                container.parameter(First.self), container.parameter(Second.self), container.parameter(Third.self),
                container.parameter(Fourth.self))
        }
    }

    /// Registers an initializer with five parameters: faster than the form for any number, and otherwise the same.
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: The name of the service; nil for a service without a name.
    ///   - lifetime: How long an instance lives, and who shares it.
    ///   - replacing: Whether the registration replaces all others of the type with this name.
    ///   - initializer: Creates an instance from its dependencies.
    ///   - afterCreation: Completes a new instance.
    ///   - onDispose: Runs when the container releases an instance.
    ///   - onAsyncDispose: As `onDispose`; the asynchronous `shutdown()` waits for it.
    /// - Returns: A token for ``remove(_:)``.
    /// - Complexity: As for a factory.
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func register<Service: Sendable, First, Second, Third, Fourth, Fifth>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .singleton,
        replacing: Bool = false, fileID: StaticString = #fileID, line: UInt = #line,
        using initializer: @escaping @Sendable (First, Second, Third, Fourth, Fifth) throws -> Service,
        afterCreation: (@Sendable (Service, DependencyContainer) throws -> Void)? = nil,
        onDispose: (@Sendable (Service) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Service) async throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        addInitializer(
            ServiceKey(named: name), name, lifetime, CallSite(fileID, line), replacing,
            requirements(First.self, Second.self, Third.self, Fourth.self, Fifth.self),
            suspending(initializer), afterCreation, onDispose, onAsyncDispose
        ) { container, _ in
            try initializer(
                container.parameter(First.self), container.parameter(Second.self), container.parameter(Third.self),
                container.parameter(Fourth.self), container.parameter(Fifth.self))
        }
    }
}
