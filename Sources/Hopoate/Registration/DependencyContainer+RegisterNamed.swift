extension DependencyContainer {
    /// Registers an instance with a name.
    ///
    /// ```swift
    /// container.register(Polite(), for: (any Greeter).self, named: .formal)
    /// let greeter = container.resolve((any Greeter).self, named: .formal)
    /// ```
    ///
    /// - Parameters:
    ///   - instance: The service. Evaluated once, before the registration can be found.
    ///   - service: The type to register under.
    ///   - name: Tells it apart from others of the type; nil for one without a name.
    ///   - fileID: Where it is registered; filled in by the compiler.
    ///   - line: Where it is registered; filled in by the compiler.
    /// - Returns: A token for ``remove(_:)``. The container does not need it.
    /// - Complexity: Constant, amortised.
    /// - Note: Concurrency. From any thread. The registration appears at once and whole.
    @inlinable
    @inline(__always)  // So that the context of the autoclosure needs no allocation.
    @discardableResult
    public func register<Service>(
        _ instance: @autoclosure @escaping () -> Service, for service: Service.Type, named name: DependencyName?,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ServiceRegistration<Service> {
        add(makeEagerly(ServiceKey(named: name), instance), named: name, CallSite(fileID, line))
    }

    /// Registers an instance with a name, in the place of all registrations of the type that have that name.
    ///
    /// ```swift
    /// container.overwriteExistingRegistrations(withService: Polite(), for: (any Greeter).self, named: .formal)
    /// ```
    ///
    /// - Parameters:
    ///   - instance: The service. Evaluated once, before the exchange.
    ///   - service: The type to register under.
    ///   - name: The name; nil for those without. Registrations with other names stay.
    ///   - fileID: Where it is registered; filled in by the compiler.
    ///   - line: Where it is registered; filled in by the compiler.
    /// - Returns: A token for ``remove(_:)``. The container does not need it.
    /// - Complexity: Linear in the number of registrations of the type with that name.
    /// - Note: Concurrency. As ``overwriteExistingRegistrations(service:cacheService:fileID:line:creator:)``.
    @inlinable
    @inline(__always)  // So that the context of the autoclosure needs no allocation.
    @discardableResult
    public func overwriteExistingRegistrations<Service>(
        withService instance: @autoclosure @escaping () -> Service, for service: Service.Type,
        named name: DependencyName?, fileID: StaticString = #fileID, line: UInt = #line
    ) -> ServiceRegistration<Service> {
        add(
            makeEagerly(ServiceKey(named: name), instance), named: name, CallSite(fileID, line), overwriting: true)
    }

    /// Registers a creator, and how long what it creates lives, in the place of all registrations of the type that have the same
    /// name.
    ///
    /// ```swift
    /// container.overwriteExistingRegistrations((any Greeter).self, named: .formal, lifetime: .transient) { _ in Polite() }
    /// ```
    ///
    /// The replaced registrations are gone: their tokens are dead, and removing the new one leaves nothing.
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: The name; nil for those without. Registrations with other names stay, and so do those that take arguments.
    ///   - lifetime: How long an instance lives, and who shares it.
    ///   - fileID: Where it is registered; filled in by the compiler.
    ///   - line: Where it is registered; filled in by the compiler.
    ///   - creator: Makes an instance, as for registering one. That of an eager service runs before the exchange and may still
    ///     resolve what it replaces.
    ///   - afterCreation: Completes an instance that has been made.
    ///   - onDispose: Runs when the container lets go of an instance.
    ///   - onAsyncDispose: As `onDispose`, for what has to be waited for.
    /// - Returns: A token for ``remove(_:)``. The container does not need it.
    /// - Complexity: Linear in the number of registrations of the type with that name.
    /// - Note: Concurrency. As ``overwriteExistingRegistrations(service:cacheService:fileID:line:creator:)``.
    @discardableResult
    public func overwriteExistingRegistrations<Service>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .singleton,
        fileID: StaticString = #fileID, line: UInt = #line,
        creator: @escaping (DependencyContainer) throws -> Service,
        afterCreation: ((Service, DependencyContainer) throws -> Void)? = nil,
        onDispose: ((Service) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Service) async throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        add(
            ServiceDefinition<Service, Void>(
                ServiceKey(named: name), name, lifetime, CallSite(fileID, line),
                .synchronous { container, _ in try creator(container) },
                completion: afterCreation, hooks: DisposalHooks(sync: onDispose, async: onAsyncDispose)),
            overwriting: true)
    }

    /// Registers a creator that suspends, in the place of all registrations of the type that have the same name.
    ///
    /// ```swift
    /// container.overwriteExistingRegistrations(Database.self) { _ in try await Database.connect() }
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: The name; nil for those without. Registrations with other names stay, and so do those that take arguments.
    ///   - lifetime: How long an instance lives, and who shares it. Not eager.
    ///   - fileID: Where it is registered; filled in by the compiler.
    ///   - line: Where it is registered; filled in by the compiler.
    ///   - creator: Makes an instance, as for registering one.
    ///   - onDispose: Runs when the container lets go of an instance.
    ///   - onAsyncDispose: As `onDispose`, for what has to be waited for.
    /// - Returns: A token for ``remove(_:)``. The container does not need it.
    /// - Complexity: Linear in the number of registrations of the type with that name.
    /// - Note: Concurrency. As ``overwriteExistingRegistrations(service:cacheService:fileID:line:creator:)``.
    @discardableResult
    public func overwriteExistingRegistrations<Service: Sendable>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .singleton,
        fileID: StaticString = #fileID, line: UInt = #line,
        creator: @escaping @Sendable (DependencyContainer) async throws -> Service,
        onDispose: ((Service) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Service) async throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        add(
            ServiceDefinition<Service, Void>(
                ServiceKey(named: name), name, lifetime, CallSite(fileID, line),
                .asynchronous { container, _ in try await creator(container) },
                hooks: DisposalHooks(sync: onDispose, async: onAsyncDispose)),
            overwriting: true)
    }

    /// Registers a creator that runs on the main actor, in the place of all registrations of the type that have the same name.
    ///
    /// ```swift
    /// container.overwriteExistingRegistrations(Window.self) { @MainActor _ in Window() }
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: The name; nil for those without. Registrations with other names stay, and so do those that take arguments.
    ///   - lifetime: How long an instance lives, and who shares it. Not eager.
    ///   - fileID: Where it is registered; filled in by the compiler.
    ///   - line: Where it is registered; filled in by the compiler.
    ///   - creator: Makes an instance, on the main actor.
    ///   - onDispose: Runs when the container lets go of an instance; not on the main actor.
    ///   - onAsyncDispose: As `onDispose`, for what has to be waited for.
    /// - Returns: A token for ``remove(_:)``. The container does not need it.
    /// - Complexity: Linear in the number of registrations of the type with that name.
    /// - Note: Concurrency. As ``overwriteExistingRegistrations(service:cacheService:fileID:line:creator:)``.
    @discardableResult
    public func overwriteExistingRegistrations<Service: Sendable>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, lifetime: Lifetime = .singleton,
        fileID: StaticString = #fileID, line: UInt = #line,
        creator: @escaping @MainActor @Sendable (DependencyContainer) throws -> Service,
        onDispose: ((Service) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Service) async throws -> Void)? = nil
    ) -> ServiceRegistration<Service> {
        add(
            ServiceDefinition<Service, Void>(
                ServiceKey(named: name), name, lifetime, CallSite(fileID, line),
                .asynchronous { container, _ in try await creator(container) },
                hooks: DisposalHooks(sync: onDispose, async: onAsyncDispose)),
            overwriting: true)
    }
}
