// The compiler does not unroll parameter packs: the form for any number of parameters looks up metadata at run time for each of them.
// Most initializers have one to five parameters. For these, the compiler specialises the following forms in the user's module: a resolve
// call of a transient service with three dependencies takes 929 instructions instead of 4,848 (Swift 6.3, x86-64).

extension DependencyContainer {
    /// Registers an initializer with one parameter.
    ///
    /// The same as ``register(_:named:lifetime:replacing:fileID:line:using:afterCreation:onDispose:onAsyncDispose:)-6p7hl``,
    /// but faster: the compiler specialises this form in your module.
    ///
    /// - Complexity: Amortised constant; O(n) in the number of replaced registrations.
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
            asyncForm(initializer), afterCreation, onDispose, onAsyncDispose
        ) { container, _ in
            try initializer(
                container.parameter(First.self))
        }
    }

    /// Registers an initializer with two parameters.
    ///
    /// The same as ``register(_:named:lifetime:replacing:fileID:line:using:afterCreation:onDispose:onAsyncDispose:)-6p7hl``,
    /// but faster: the compiler specialises this form in your module.
    ///
    /// - Complexity: Amortised constant; O(n) in the number of replaced registrations.
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
            asyncForm(initializer), afterCreation, onDispose, onAsyncDispose
        ) { container, _ in
            try initializer(
                container.parameter(First.self), container.parameter(Second.self))
        }
    }

    /// Registers an initializer with three parameters.
    ///
    /// The same as ``register(_:named:lifetime:replacing:fileID:line:using:afterCreation:onDispose:onAsyncDispose:)-6p7hl``,
    /// but faster: the compiler specialises this form in your module.
    ///
    /// - Complexity: Amortised constant; O(n) in the number of replaced registrations.
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
            asyncForm(initializer), afterCreation, onDispose, onAsyncDispose
        ) { container, _ in
            try initializer(
                container.parameter(First.self), container.parameter(Second.self), container.parameter(Third.self))
        }
    }

    /// Registers an initializer with four parameters.
    ///
    /// The same as ``register(_:named:lifetime:replacing:fileID:line:using:afterCreation:onDispose:onAsyncDispose:)-6p7hl``,
    /// but faster: the compiler specialises this form in your module.
    ///
    /// - Complexity: Amortised constant; O(n) in the number of replaced registrations.
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
            asyncForm(initializer), afterCreation, onDispose, onAsyncDispose
        ) { container, _ in
            try initializer(
                container.parameter(First.self), container.parameter(Second.self), container.parameter(Third.self),
                container.parameter(Fourth.self))
        }
    }

    /// Registers an initializer with five parameters.
    ///
    /// The same as ``register(_:named:lifetime:replacing:fileID:line:using:afterCreation:onDispose:onAsyncDispose:)-6p7hl``,
    /// but faster: the compiler specialises this form in your module.
    ///
    /// - Complexity: Amortised constant; O(n) in the number of replaced registrations.
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
            asyncForm(initializer), afterCreation, onDispose, onAsyncDispose
        ) { container, _ in
            try initializer(
                container.parameter(First.self), container.parameter(Second.self), container.parameter(Third.self),
                container.parameter(Fourth.self), container.parameter(Fifth.self))
        }
    }
}
