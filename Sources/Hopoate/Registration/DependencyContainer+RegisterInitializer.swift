extension DependencyContainer {
    /// Registers an initializer: what it takes is resolved when an instance is made.
    ///
    /// ```swift
    /// container.register((any Shop).self, using: CornerShop.init)
    /// ```
    ///
    /// The types of its parameters say what the service depends on, so ``validate()`` can look whether all of it is registered
    /// without making anything. A parameter may be a service; an optional one, nil where none is registered; an array of
    /// services, which gets all of them; or a ``LazyDependency`` or ``DependencyProvider``, which asks later. Where something
    /// is registered under the very type of the parameter, that comes first.
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: Tells it apart from others of the type; nil for one without a name.
    ///   - lifetime: How long an instance lives, and who shares it.
    ///   - fileID: Where it is registered; filled in by the compiler.
    ///   - line: Where it is registered; filled in by the compiler.
    ///   - initializer: Makes an instance of its dependencies. Any function will do.
    ///   - onDispose: As for a creator.
    ///   - onAsyncDispose: As for a creator.
    /// - Returns: A token for ``remove(_:)``. The container does not need it.
    /// - Complexity: Constant, amortised.
    /// - Note: Concurrency. As for a creator.
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func register<Service, each Parameter>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .singleton,
        fileID: StaticString = #fileID, line: UInt = #line,
        using initializer: @escaping (repeat each Parameter) throws -> Service,
        onDispose: ((Service) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Service) async throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        addConstructor(
            ServiceKey(named: name), name, lifetime, CallSite(fileID, line),
            requirements(repeat (each Parameter).self), suspending(initializer), onDispose, onAsyncDispose
        ) { container, _ in
            try initializer(repeat try container.parameter((each Parameter).self))
        }
    }

    /// Registers an asynchronous initializer: what it takes is resolved, asynchronously too, when an instance is made.
    ///
    /// ```swift
    /// container.register(Database.self, using: Database.init(connectingWith:))
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: Tells it apart from others of the type; nil for one without a name.
    ///   - lifetime: How long an instance lives, and who shares it. Not eager.
    ///   - fileID: Where it is registered; filled in by the compiler.
    ///   - line: Where it is registered; filled in by the compiler.
    ///   - initializer: Makes an instance of its dependencies.
    ///   - onDispose: As for a creator.
    ///   - onAsyncDispose: As for a creator.
    /// - Returns: A token for ``remove(_:)``. The container does not need it.
    /// - Complexity: Constant, amortised.
    /// - Note: Concurrency. As for a creator that suspends.
    @_disfavoredOverload
    @discardableResult
    public func register<Service: Sendable, each Parameter: Sendable>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .singleton,
        fileID: StaticString = #fileID, line: UInt = #line,
        using initializer: @escaping @Sendable (repeat each Parameter) async throws -> Service,
        onDispose: ((Service) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Service) async throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        add(
            ServiceDefinition<Service, Void>(
                ServiceKey(named: name), name, lifetime, CallSite(fileID, line),
                .asynchronous { container, _ in
                    try await initializer(repeat try await container.asyncParameter((each Parameter).self))
                }, requirements: requirements(repeat (each Parameter).self),
                hooks: DisposalHooks(sync: onDispose, async: onAsyncDispose)))
    }

    /// The part that need not know how many parameters there are.
    @usableFromInline
    func addConstructor<Service>(
        _ key: ServiceKey<Service>, _ name: DependencyName?, _ lifetime: Lifetime, _ callSite: CallSite,
        _ requirements: [Requirement],
        _ suspending: @escaping @Sendable (DependencyContainer, Void) async throws -> Service,
        _ onDispose: ((Service) throws -> Void)?,
        _ onAsyncDispose: (@Sendable (Service) async throws -> Void)?,
        creator: @escaping (DependencyContainer, Void) throws -> Service
    ) -> ServiceRegistration<Service> {
        add(
            ServiceDefinition<Service, Void>(
                key, name, lifetime, callSite, .both(creator, suspending), requirements: requirements,
                hooks: DisposalHooks(sync: onDispose, async: onAsyncDispose)))
    }

    /// What an initializer gets for a parameter.
    @inlinable
    @inline(__always)
    func parameter<Parameter>(_ type: Parameter.Type) throws(DependencyError) -> Parameter {
        if let service = try find(ServiceKey<Parameter>()) { return service }
        return try parameterSlow(type)
    }

    /// Where nothing is registered under the very type: it may be a way of asking.
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
    _ initializer: @escaping (repeat each Parameter) throws -> Service
) -> @Sendable (DependencyContainer, Void) async throws -> Service {
    // Whoever registers an initializer agrees that it runs wherever it is asked for.
    nonisolated(unsafe) let initializer = initializer
    return { container, _ in
        try initializer(repeat try await container.asyncParameter((each Parameter).self))
    }
}

/// A type of parameter that is not a service but a way to ask for one.
protocol ParameterForm {
    static func make(in container: DependencyContainer) throws(DependencyError) -> Self
    /// As the other one, where it may be created asynchronously.
    static func make(suspendingIn container: DependencyContainer) async throws(DependencyError) -> Self
    /// What it asks for, and how.
    static var requirement: Requirement { get }
}

extension ParameterForm {
    static func make(suspendingIn container: DependencyContainer) async throws(DependencyError) -> Self {
        try make(in: container)
    }
}

extension Optional: ParameterForm {
    static func make(in container: DependencyContainer) throws(DependencyError) -> Self {
        try container.find(ServiceKey<Wrapped>())
    }

    static func make(suspendingIn container: DependencyContainer) async throws(DependencyError) -> Self {
        container.canResolve(Wrapped.self) ? try await container.asyncResolve(Wrapped.self) : nil
    }

    static var requirement: Requirement { Requirement(ServiceKey<Wrapped>(), .optional) }
}

extension Array: ParameterForm {
    static func make(in container: DependencyContainer) throws(DependencyError) -> Self {
        var services: Self = []
        let key = ServiceKey<Element>()
        for (registration, resolution) in container.allRegistrations(key) {
            services.append(try registration.instance(key, resolution))
        }
        return services
    }

    static func make(suspendingIn container: DependencyContainer) async throws(DependencyError) -> Self {
        var services: Self = []
        let key = ServiceKey<Element>()
        for (registration, resolution) in container.allRegistrations(key) {
            if let factory = registration.factory as? ServiceFactory<Element, Void> {
                services.append(try await factory.instance(suspending: key, (), resolution))
            } else {
                services.append(try registration.instance(key, resolution))
            }
        }
        return services
    }

    static var requirement: Requirement { Requirement(ServiceKey<Element>(), .all) }
}

extension DependencyContainer {
    /// The registrations of a key here and in the parents, in the order of `resolveAll`; and what to ask them for.
    fileprivate func allRegistrations<Service>(
        _ key: ServiceKey<Service>
    ) -> [(registration: ServiceRegistration<Service>, resolution: Resolution)] {
        var registrations: [(ServiceRegistration<Service>, Resolution)] = []
        var owner: DependencyContainer? = self
        while let container = owner {
            let resolution = Resolution(container: self, owner: container)
            registrations += container.registry.stack(key).map { ($0, resolution) }
            owner = container.parent
        }
        return registrations
    }
}

/// What an initializer with these parameters asks for.
@usableFromInline
func requirements<each Parameter>(_ types: repeat (each Parameter).Type) -> [Requirement] {
    var requirements: [Requirement] = []
    for type in repeat each types { requirements.append(requirement(type)) }
    return requirements
}

private func requirement<Parameter>(_ type: Parameter.Type) -> Requirement {
    var requirement = Requirement(ServiceKey<Parameter>(), .required)
    requirement.alternative = (type as? any ParameterForm.Type).map { Box($0.requirement) }
    return requirement
}
