extension DependencyContainer {
    /// Wraps the newest service of a type: in a cache, a meter, or a log.
    ///
    /// ```swift
    /// container.decorate((any Greeter).self) { inner, container in Counting(inner) }
    /// ```
    ///
    /// From now on, resolve calls return the result of the closure. The decorated service has the lifetime of the inner one: an existing
    /// instance is wrapped inside this call, a singleton on first use. ``remove(_:)`` with the token removes the decorator. If the service
    /// is registered in a parent, only this child sees the decorated one.
    ///
    /// If another thread registers the service at the same time, that registration is not decorated.
    ///
    /// Traps if the service is not registered here or in a parent, if the container is sealed or shut down, or if the closure throws for an
    /// existing instance.
    ///
    /// - Parameters:
    ///   - serviceType: The type of the registered service.
    ///   - name: The name of the registered service; nil for an unnamed one.
    ///   - decorator: Returns the decorated service. It gets the inner service, and the container that a factory of the same lifetime
    ///     would get. If it throws, the creation fails.
    /// - Returns: A token for ``remove(_:)``.
    /// - Complexity: Amortised constant, plus O(n) in the number of parents.
    @discardableResult
    public func decorate<Service: Sendable>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, fileID: StaticString = #fileID,
        line: UInt = #line,
        with decorator: @escaping @Sendable (Service, DependencyContainer) throws -> Service
    ) -> ServiceRegistration<Service> {
        addDecorator(
            ServiceKey(named: name), name, CallSite(fileID, line),
            Decorator<Service, Void>.synchronous { inner, container, _ in try decorator(inner, container) })
    }

    /// Wraps the newest service of a type with a decorator that may suspend.
    ///
    /// ```swift
    /// container.register(Database.self) { _ in Database() }
    /// container.decorate(Database.self) { inner, _ async in
    ///     await inner.rows() > 0 ? inner : Database()
    /// }
    /// let database = try await container.asyncResolve(Database.self)
    /// ```
    ///
    /// The decorated service is asynchronous, even if the inner one is not. Resolve it with
    /// ``asyncResolve(_:named:fileID:line:isolation:)`` first; once a shared instance exists, `resolve` finds it. An existing instance is
    /// wrapped on first use, and the result is a singleton.
    ///
    /// If the decorator is isolated to an actor, mark it as asynchronous: `{ @MainActor inner, _ async in … }`. Everything else is the
    /// same as for ``decorate(_:named:fileID:line:with:)-7lb9o``.
    ///
    /// - Complexity: Amortised constant, plus O(n) in the number of parents.
    @discardableResult
    public func decorate<Service: Sendable>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, fileID: StaticString = #fileID,
        line: UInt = #line,
        with decorator: @escaping @Sendable (Service, DependencyContainer) async throws -> Service
    ) -> ServiceRegistration<Service> {
        addDecorator(
            ServiceKey(named: name), name, CallSite(fileID, line),
            Decorator<Service, Void>.asynchronous { inner, container, _ in try await decorator(inner, container) })
    }

    /// Wraps the newest service of a type whose factory takes arguments.
    ///
    /// ```swift
    /// container.register((any Log).self) { (_, path: String) in FileLog(path) }
    /// container.decorate((any Log).self) { (inner, _, path: String) in
    ///     path.isEmpty ? ConsoleLog() : inner
    /// }
    /// let log = container.resolve((any Log).self, arguments: "audit.log")
    /// ```
    ///
    /// The decorator gets the inner service, the container, and the arguments of the resolve call. The types of the arguments select the
    /// registration. The decorated service has the lifetime of the inner one: with ``Lifetime/keyed``, for example, there is one decorated
    /// instance per argument value.
    ///
    /// Options and traps are the same as for ``decorate(_:named:fileID:line:with:)-7lb9o``.
    ///
    /// - Complexity: Amortised constant, plus O(n) in the number of parents.
    @discardableResult
    public func decorate<Service: Sendable, First: Sendable, each Rest: Sendable>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, fileID: StaticString = #fileID,
        line: UInt = #line,
        with decorator: @escaping @Sendable (Service, DependencyContainer, First, repeat each Rest) throws -> Service
    ) -> ServiceRegistration<Service> {
        addDecorator(
            ServiceKey(arguments: (First, (repeat each Rest)).self, named: name), name, CallSite(fileID, line),
            hashable: hashable(First.self, repeat (each Rest).self),
            .synchronous { (inner, container, arguments: (First, (repeat each Rest))) in
                try decorator(inner, container, arguments.0, repeat each arguments.1)
            })
    }

    /// Wraps the newest service of a type whose factory takes arguments with a decorator that may suspend.
    ///
    /// ```swift
    /// container.register(Profile.self, lifetime: .keyed) { (_, id: Int) in Profile() }
    /// container.decorate(Profile.self) { (inner, _, id: Int) async throws in
    ///     id == 0 ? inner : try await Profile.load(id)
    /// }
    /// let profile = try await container.asyncResolve(Profile.self, arguments: 7)
    /// ```
    ///
    /// Arguments are the same as for ``decorate(_:named:fileID:line:with:)-9sa23``. Everything else is the same as for
    /// ``decorate(_:named:fileID:line:with:)-3bncd``.
    ///
    /// - Complexity: Amortised constant, plus O(n) in the number of parents.
    @discardableResult
    public func decorate<Service: Sendable, First: Sendable, each Rest: Sendable>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, fileID: StaticString = #fileID,
        line: UInt = #line,
        with decorator:
            @escaping @Sendable (Service, DependencyContainer, First, repeat each Rest) async throws ->
            Service
    ) -> ServiceRegistration<Service> {
        addDecorator(
            ServiceKey(arguments: (First, (repeat each Rest)).self, named: name), name, CallSite(fileID, line),
            hashable: hashable(First.self, repeat (each Rest).self),
            .asynchronous { (inner, container, arguments: (First, (repeat each Rest))) in
                try await decorator(inner, container, arguments.0, repeat each arguments.1)
            })
    }

    /// The part that does not depend on the number of arguments.
    private func addDecorator<Service: Sendable, Arguments>(
        _ key: ServiceKey<Service>, _ name: DependencyName?, _ callSite: CallSite,
        hashable: (any KeyedArguments.Type)? = nil, _ decorator: Decorator<Service, Arguments>
    ) -> ServiceRegistration<Service> {
        let lookup = lookUp(key.erased)
        let owner = lookup.owner?.container ?? self
        if let registration = lookup.registration(of: key) {
            let inner = InnerService<Service, Arguments>(registration, key, of: owner)
            // The dependencies of a parent's service are resolved in the parent, so those of this registration are unknown.
            let isOwn = owner === self || owner === viewedContainer
            let requirements = isOwn ? registration.factory?.requirements : nil
            return add(
                ServiceDefinition(
                    key: key, name: name, lifetime: decorator.lifetime(around: inner), callSite: callSite,
                    closures: decorator.closures(around: inner),
                    requirements: requirements, hashable: hashable, decorated: registration))
        }
        fail(DependencyError(missing: key.identity, in: self, callSite, action: .decorate))
    }
}
