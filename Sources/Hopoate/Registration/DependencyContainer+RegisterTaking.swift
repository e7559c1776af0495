extension DependencyContainer {
    /// Registers an initializer with a source for each of its parameters.
    ///
    /// ```swift
    /// container.register(Checkout.self, using: Checkout.init, taking: .service, .named(.audit))
    /// ```
    ///
    /// There is one ``ParameterSource`` for each parameter, in the same order. The compiler checks their number and their types.
    ///
    /// ``validate(_:)`` checks services and named services; values are no dependencies. Everything else is the same as for
    /// ``register(_:named:lifetime:replacing:fileID:line:using:afterCreation:onDispose:onAsyncDispose:)-6p7hl``.
    ///
    /// - Complexity: Amortised constant; O(n) in the number of replaced registrations. Creation costs one resolve call per service.
    @_disfavoredOverload
    @discardableResult
    public func register<Service: Sendable, First, each Rest>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .singleton,
        replacing: Bool = false, fileID: StaticString = #fileID, line: UInt = #line,
        using initializer: @escaping @Sendable (First, repeat each Rest) throws -> Service,
        taking first: ParameterSource<First>, _ rest: repeat ParameterSource<each Rest>,
        afterCreation: (@Sendable (Service, DependencyContainer) throws -> Void)? = nil,
        onDispose: (@Sendable (Service) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Service) async throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        let others = (repeat each rest)
        return addInitializer(
            ServiceKey(named: name), name, lifetime, CallSite(fileID, line), replacing,
            requirements(of: first, repeat each rest), suspending(initializer, first, repeat each rest), afterCreation,
            onDispose, onAsyncDispose
        ) { container, _ in
            try initializer(first.make(container), repeat (each others).make(container))
        }
    }

    /// Registers an asynchronous initializer with a source for each of its parameters.
    ///
    /// ```swift
    /// container.register(Database.self, using: Database.init(connectingWith:), taking: .environment(\.currency))
    /// ```
    ///
    /// Everything else is the same as for
    /// ``register(_:named:lifetime:replacing:fileID:line:using:afterCreation:onDispose:onAsyncDispose:)-5q93j``.
    ///
    /// - Complexity: Amortised constant; O(n) in the number of replaced registrations.
    @_disfavoredOverload
    @discardableResult
    public func register<Service: Sendable, First: Sendable, each Rest: Sendable>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .singleton,
        replacing: Bool = false, fileID: StaticString = #fileID, line: UInt = #line,
        using initializer: @escaping @Sendable (First, repeat each Rest) async throws -> Service,
        taking first: ParameterSource<First>, _ rest: repeat ParameterSource<each Rest>,
        afterCreation: (@Sendable (Service, DependencyContainer) throws -> Void)? = nil,
        onDispose: (@Sendable (Service) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Service) async throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        addAsyncInitializer(
            ServiceKey(named: name), name, lifetime, CallSite(fileID, line), replacing,
            requirements(of: first, repeat each rest), afterCreation, onDispose, onAsyncDispose,
            asynchronous: suspending(initializer, first, repeat each rest))
    }

    /// Registers an initializer that runs on the main actor, with a source for each of its parameters.
    ///
    /// ```swift
    /// @MainActor final class Panel {
    ///     init(title: String) {}
    /// }
    /// container.register(Panel.self, using: Panel.init, taking: .value("Shop"))
    /// ```
    ///
    /// The compiler picks this form if the initializer is isolated to `MainActor`. Do not pass `isolation`: it only tells the overloads
    /// apart. Resolve the service with `asyncResolve` first.
    ///
    /// - Complexity: Amortised constant; O(n) in the number of replaced registrations.
    @_disfavoredOverload
    @discardableResult
    public func register<Service: Sendable, First: Sendable, each Rest: Sendable>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .singleton,
        replacing: Bool = false, isolation: MainActor.Type = MainActor.self, fileID: StaticString = #fileID,
        line: UInt = #line,
        using initializer: @escaping @MainActor @Sendable (First, repeat each Rest) throws -> Service,
        taking first: ParameterSource<First>, _ rest: repeat ParameterSource<each Rest>,
        afterCreation: (@Sendable (Service, DependencyContainer) throws -> Void)? = nil,
        onDispose: (@Sendable (Service) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Service) async throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        addAsyncInitializer(
            ServiceKey(named: name), name, lifetime, CallSite(fileID, line), replacing,
            requirements(of: first, repeat each rest), afterCreation, onDispose, onAsyncDispose,
            asynchronous: suspending(initializer, first, repeat each rest))
    }
}

/// The form of an initializer for callers that suspend: its services may be created asynchronously.
private func suspending<Service, First, each Rest>(
    _ initializer: @escaping @Sendable (First, repeat each Rest) async throws -> Service,
    _ first: ParameterSource<First>, _ rest: repeat ParameterSource<each Rest>
) -> @Sendable (DependencyContainer, Void) async throws -> Service {
    let others = (repeat each rest)
    return { container, _ in
        try await initializer(first.makeSuspending(container), repeat (each others).makeSuspending(container))
    }
}
