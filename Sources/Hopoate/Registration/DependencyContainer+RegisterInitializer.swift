extension DependencyContainer {
    /// Registers an initializer: its parameters are resolved when an instance is created.
    ///
    /// ```swift
    /// container.register((any Shop).self, using: CornerShop.init)
    /// ```
    ///
    /// The types of its parameters say what the service depends on, so ``validate()`` can check that all of it is registered without
    /// creating anything. A parameter may be a service; an optional one, nil if none is registered; an array of services, which gets
    /// all of them; or a ``LazyDependency`` or ``DependencyProvider``, which resolves later. If something is registered under the very
    /// type of the parameter, that comes first.
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: The name of the service; nil for a service without a name.
    ///   - lifetime: How long an instance lives, and who shares it.
    ///   - replacing: Whether the registration replaces all others of the type with this name, in one atomic step.
    ///   - initializer: Creates an instance from its dependencies. Any function will do, also one that throws.
    ///   - afterCreation: Completes a new instance.
    ///   - onDispose: Runs when the container releases an instance.
    ///   - onAsyncDispose: As `onDispose`; the asynchronous `shutdown()` waits for it.
    /// - Returns: A token for ``remove(_:)``. The container does not need it.
    /// - Complexity: As for a factory.
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func register<Service: Sendable, each Parameter>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .singleton,
        replacing: Bool = false, fileID: StaticString = #fileID, line: UInt = #line,
        using initializer: @escaping @Sendable (repeat each Parameter) throws -> Service,
        afterCreation: (@Sendable (Service, DependencyContainer) throws -> Void)? = nil,
        onDispose: (@Sendable (Service) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Service) async throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        addInitializer(
            ServiceKey(named: name), name, lifetime, CallSite(fileID, line), replacing,
            requirements(repeat (each Parameter).self), suspending(initializer), afterCreation, onDispose,
            onAsyncDispose
        ) { container, _ in
            try initializer(repeat try container.parameter((each Parameter).self))
        }
    }

    /// Registers an asynchronous initializer: its parameters are resolved, asynchronously too, when an instance is created.
    ///
    /// ```swift
    /// container.register(Database.self, using: Database.init(connectingWith:))
    /// ```
    ///
    /// An initializer of an actor of your own has to be asynchronous, or be called in a factory: `{ @Rendering container async in … }`.
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: The name of the service; nil for a service without a name.
    ///   - lifetime: How long an instance lives, and who shares it. Not eager.
    ///   - replacing: Whether the registration replaces all others of the type with this name.
    ///   - initializer: Creates an instance from its dependencies. It may throw, and may be isolated to an actor.
    ///   - afterCreation: Completes a new instance.
    ///   - onDispose: Runs when the container releases an instance.
    ///   - onAsyncDispose: As `onDispose`; the asynchronous `shutdown()` waits for it.
    /// - Returns: A token for ``remove(_:)``. The container does not need it.
    /// - Complexity: As for a factory that suspends.
    @_disfavoredOverload
    @discardableResult
    public func register<Service: Sendable, each Parameter: Sendable>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .singleton,
        replacing: Bool = false, fileID: StaticString = #fileID, line: UInt = #line,
        using initializer: @escaping @Sendable (repeat each Parameter) async throws -> Service,
        afterCreation: (@Sendable (Service, DependencyContainer) throws -> Void)? = nil,
        onDispose: (@Sendable (Service) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Service) async throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        addAsyncInitializer(
            ServiceKey(named: name), name, lifetime, CallSite(fileID, line), replacing,
            requirements(repeat (each Parameter).self), afterCreation, onDispose, onAsyncDispose
        ) { container, _ in
            try await initializer(repeat try await container.asyncParameter((each Parameter).self))
        }
    }

    /// Registers an initializer of the main actor: its parameters are resolved when an instance is created.
    ///
    /// ```swift
    /// container.register(Window.self, using: Window.init)
    /// let window = try await container.asyncResolve(Window.self)
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: The name of the service; nil for a service without a name.
    ///   - lifetime: How long an instance lives, and who shares it. Not eager.
    ///   - replacing: Whether the registration replaces all others of the type with this name.
    ///   - isolation: The main actor. Not to be passed: it tells this form from the others.
    ///   - initializer: Creates an instance from its dependencies, on the main actor.
    ///   - afterCreation: Completes a new instance; not on the main actor.
    ///   - onDispose: Runs when the container releases an instance; not on the main actor.
    ///   - onAsyncDispose: As `onDispose`; the asynchronous `shutdown()` waits for it.
    /// - Returns: A token for ``remove(_:)``. The container does not need it.
    /// - Complexity: As for a factory that suspends.
    @_disfavoredOverload
    @discardableResult
    public func register<Service: Sendable, each Parameter: Sendable>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .singleton,
        replacing: Bool = false, isolation: MainActor.Type = MainActor.self, fileID: StaticString = #fileID,
        line: UInt = #line, using initializer: @escaping @MainActor @Sendable (repeat each Parameter) throws -> Service,
        afterCreation: (@Sendable (Service, DependencyContainer) throws -> Void)? = nil,
        onDispose: (@Sendable (Service) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Service) async throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        addAsyncInitializer(
            ServiceKey(named: name), name, lifetime, CallSite(fileID, line), replacing,
            requirements(repeat (each Parameter).self), afterCreation, onDispose, onAsyncDispose
        ) { container, _ in
            try await initializer(repeat try await container.asyncParameter((each Parameter).self))
        }
    }

    /// The part that need not know how many parameters there are.
    @usableFromInline
    func addInitializer<Service>(
        _ key: ServiceKey<Service>, _ name: DependencyName?, _ lifetime: Lifetime, _ callSite: CallSite,
        _ replacing: Bool, _ requirements: [Requirement],
        _ asynchronous: @escaping @Sendable (DependencyContainer, Void) async throws -> Service,
        _ afterCreation: ((Service, DependencyContainer) throws -> Void)?, _ onDispose: ((Service) throws -> Void)?,
        _ onAsyncDispose: (@Sendable (Service) async throws -> Void)?,
        synchronous: @escaping (DependencyContainer, Void) throws -> Service
    ) -> ServiceRegistration<Service> {
        add(
            ServiceDefinition<Service, Void>(
                key, name, lifetime, callSite, .both(synchronous, asynchronous), requirements: requirements,
                completion: afterCreation, hooks: DisposalHooks(sync: onDispose, async: onAsyncDispose)),
            replacing: replacing)
    }

    private func addAsyncInitializer<Service>(
        _ key: ServiceKey<Service>, _ name: DependencyName?, _ lifetime: Lifetime, _ callSite: CallSite,
        _ replacing: Bool, _ requirements: [Requirement],
        _ afterCreation: ((Service, DependencyContainer) throws -> Void)?, _ onDispose: ((Service) throws -> Void)?,
        _ onAsyncDispose: (@Sendable (Service) async throws -> Void)?,
        asynchronous: @escaping @Sendable (DependencyContainer, Void) async throws -> Service
    ) -> ServiceRegistration<Service> {
        add(
            ServiceDefinition<Service, Void>(
                key, name, lifetime, callSite, .asynchronous(asynchronous), requirements: requirements,
                completion: afterCreation, hooks: DisposalHooks(sync: onDispose, async: onAsyncDispose)),
            replacing: replacing)
    }

    /// The argument for a parameter of an initializer.
    @inlinable
    @inline(__always)
    func parameter<Parameter>(_ type: Parameter.Type) throws(DependencyError) -> Parameter {
        if let service = try find(ServiceKey<Parameter>()) { return service }
        return try parameterSlow(type)
    }

    /// The argument if nothing is registered under the very type of the parameter: that may say how to resolve another one.
    @usableFromInline
    func parameterSlow<Parameter>(_ type: Parameter.Type) throws(DependencyError) -> Parameter {
        guard let form = type as? any ParameterForm.Type else { throw missing(ServiceKey<Parameter>(), nil) }
        // A form makes values of its own type.
        return try form.make(in: self) as! Parameter
    }

    fileprivate func asyncParameter<Parameter>(_ type: Parameter.Type) async throws(DependencyError) -> Parameter {
        guard let form = type as? any ParameterForm.Type, !canResolve(type) else { return try await asyncResolve(type) }
        // As in `parameterSlow`.
        return try await form.make(suspendingIn: self) as! Parameter
    }
}

/// The form of an initializer for callers that suspend: its parameters may be created asynchronously.
@usableFromInline
func suspending<Service, each Parameter>(
    _ initializer: @escaping @Sendable (repeat each Parameter) throws -> Service
) -> @Sendable (DependencyContainer, Void) async throws -> Service {
    { container, _ in
        try initializer(repeat try await container.asyncParameter((each Parameter).self))
    }
}
