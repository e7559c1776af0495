extension DependencyContainer {
    /// Registers an initializer whose parameters are resolved when an instance is created.
    ///
    /// ```swift
    /// container.register((any Shop).self, using: CornerShop.init)
    /// ```
    ///
    /// The parameter types are the dependencies of the service, so ``validate(_:)`` can check them without running a factory. A parameter
    /// may be:
    /// - a service;
    /// - an optional service, which is nil if the service is not registered;
    /// - an array, which gets all registered services of its element type, at least one;
    /// - a ``LazyDependency`` or a ``DependencyProvider``, which resolves the service later.
    ///
    /// A registration of exactly the parameter's type takes precedence over these rules.
    ///
    /// Options and traps are the same as for
    /// ``register(_:named:lifetime:replacing:fileID:line:factory:afterCreation:onDispose:onAsyncDispose:)-6h4mx``.
    /// `initializer` may be any function, also one that throws.
    ///
    /// - Complexity: Amortised constant; O(n) in the number of replaced registrations. Creation costs one resolve call per parameter.
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
            requirements(repeat (each Parameter).self), asyncForm(initializer), afterCreation, onDispose,
            onAsyncDispose
        ) { container, _ in
            try initializer(repeat try container.parameter((each Parameter).self))
        }
    }

    /// Registers an asynchronous initializer. Its parameters may be created asynchronously too.
    ///
    /// ```swift
    /// container.register(Database.self, using: Database.init(connectingWith:))
    /// ```
    ///
    /// `initializer` may throw and may be isolated to an actor. If it is isolated to your own global actor but not `async`, call it in a
    /// factory instead: `{ @Rendering container async in … }`.
    ///
    /// Parameters are resolved in the same way as for
    /// ``register(_:named:lifetime:replacing:fileID:line:using:afterCreation:onDispose:onAsyncDispose:)-6p7hl``. Everything
    /// else is the same as for an asynchronous factory:
    /// ``register(_:named:lifetime:replacing:fileID:line:factory:afterCreation:onDispose:onAsyncDispose:)-4b698``.
    ///
    /// - Complexity: Amortised constant; O(n) in the number of replaced registrations.
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

    /// Registers an initializer that runs on the main actor.
    ///
    /// ```swift
    /// container.register(Window.self, using: Window.init)
    /// let window = try await container.asyncResolve(Window.self)
    /// ```
    ///
    /// The compiler picks this form if the initializer is isolated to `MainActor`. Do not pass `isolation`: it only tells the overloads
    /// apart. `afterCreation` and the disposal hooks are nonisolated. Resolve the service with `asyncResolve` first; once the instance
    /// exists, `resolve` finds it. Everything else is the same as for an asynchronous initializer:
    /// ``register(_:named:lifetime:replacing:fileID:line:using:afterCreation:onDispose:onAsyncDispose:)-5q93j``.
    ///
    /// - Complexity: Amortised constant; O(n) in the number of replaced registrations.
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

    /// The part that does not depend on the number of parameters.
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
                key: key, name: name, lifetime: lifetime, callSite: callSite,
                closures: .initializer(synchronous, asynchronous), requirements: requirements,
                completion: afterCreation, hooks: DisposalHooks(sync: onDispose, async: onAsyncDispose)),
            replacing: replacing)
    }

    func addAsyncInitializer<Service>(
        _ key: ServiceKey<Service>, _ name: DependencyName?, _ lifetime: Lifetime, _ callSite: CallSite,
        _ replacing: Bool, _ requirements: [Requirement],
        _ afterCreation: ((Service, DependencyContainer) throws -> Void)?, _ onDispose: ((Service) throws -> Void)?,
        _ onAsyncDispose: (@Sendable (Service) async throws -> Void)?,
        asynchronous: @escaping @Sendable (DependencyContainer, Void) async throws -> Service
    ) -> ServiceRegistration<Service> {
        add(
            ServiceDefinition<Service, Void>(
                key: key, name: name, lifetime: lifetime, callSite: callSite,
                closures: .asynchronous(asynchronous), requirements: requirements,
                completion: afterCreation, hooks: DisposalHooks(sync: onDispose, async: onAsyncDispose)),
            replacing: replacing)
    }

    /// The argument for a parameter of an initializer.
    @inlinable
    @inline(__always)
    func parameter<Parameter>(_ type: Parameter.Type) throws(DependencyError) -> Parameter {
        defer { withExtendedLifetime(self) {} }
        let key = ServiceKey<Parameter>()
        let lookup = lookUp(key.erased)
        if let instance = lookup.existing(key, in: self) { return instance }
        return try withMemoryForFrame { frame throws(DependencyError) in try parameterSlow(lookup, key, frame) }
    }

    /// The argument for a parameter that takes a service with a name, or one without.
    func parameter<Parameter>(
        _ type: Parameter.Type, named name: DependencyName?
    ) throws(DependencyError) -> Parameter {
        defer { withExtendedLifetime((self, name)) {} }
        let key = ServiceKey<Parameter>(named: name)
        let lookup = lookUp(key.erased)
        if let instance = lookup.existing(key, in: self) { return instance }
        return try withMemoryForFrame { frame throws(DependencyError) in try parameterSlow(lookup, key, frame) }
    }

    /// The argument if there is no instance of it. If the exact type of the parameter is not registered, it may be an optional, an array
    /// or a handle, which resolves another type.
    @usableFromInline
    @inline(never)
    func parameterSlow<Parameter>(
        _ lookup: Lookup, _ key: ServiceKey<Parameter>, _ frame: FramePointer
    ) throws(DependencyError) -> Parameter {
        var lookup = lookup
        if let innermostFrame, innermostFrame.pointee.isUnchecked {
            lookup.end()
            try checkDependencies(of: innermostFrame, from: key.erased)
            lookup = lookUp(key.erased)
        }
        if lookup.isRegistered { return try lookup.resolve(key, in: self, frame) }
        lookup.end()
        guard let form = Parameter.self as? any ParameterForm.Type else { throw missing(key, nil) }
        // `make` returns a value of the type that it is called on, and that is `Parameter`.
        return try form.make(in: self, named: key.identity.name) as! Parameter
    }

    /// The argument for a caller that may suspend.
    func asyncParameter<Parameter>(
        _ type: Parameter.Type, named name: DependencyName? = nil
    ) async throws(DependencyError) -> Parameter {
        // The cast is slow, so it comes second.
        if !canResolve(type, named: name), let form = type as? any ParameterForm.Type {
            // As in `parameterSlow`.
            return try await form.make(suspendingIn: self, named: name) as! Parameter
        }
        // Without a place: the error gets that of the call around it.
        return try await asyncResolve(type, named: name, fileID: CallSite.unknown.fileID, line: 0)
    }
}

/// The form of an initializer for callers that suspend: its parameters may be created asynchronously.
@usableFromInline
func asyncForm<Service, each Parameter>(
    _ initializer: @escaping @Sendable (repeat each Parameter) throws -> Service
) -> @Sendable (DependencyContainer, Void) async throws -> Service {
    { container, _ in
        try initializer(repeat try await container.asyncParameter((each Parameter).self))
    }
}
