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
        let key = ServiceKey<Service>(named: name)
        let callSite = CallSite(fileID, line)
        var owner: DependencyContainer? = self
        while let container = owner {
            if let inner = container.registry.newest(key) {
                // The dependencies of a parent's service are resolved in the parent, so those of this registration are unknown.
                let requirements = container === self ? inner.factory?.requirements : nil
                return add(
                    ServiceDefinition(
                        key, name, callSite, decorating: inner, requirements, of: container, with: decorator))
            }
            owner = container.parent
        }
        fail(DependencyError(missing: key.identity, in: self, callSite, action: .decorate))
    }
}

extension ServiceDefinition where Arguments == Void {
    fileprivate init(
        _ key: ServiceKey<Service>, _ name: DependencyName?, _ callSite: CallSite,
        decorating inner: ServiceRegistration<Service>, _ requirements: [Requirement]?,
        of container: DependencyContainer,
        with decorator: @escaping @Sendable (Service, DependencyContainer) throws -> Service
    ) {
        // Weak, because the container holds this closure: a strong reference would be a cycle.
        let owner = WeakContainer(container)
        let direct = { (asked: DependencyContainer, _: Void) throws -> Service in
            let container = owner.container ?? asked
            return try withExtendedLifetime(container) {
                try decorator(try inner.instance(key, Resolution(container: asked, owner: container)), asked)
            }
        }
        let closures: ServiceFactory<Service, Void>.Closures
        if let factory = inner.source.factory(taking: Void.self), factory.closures.asynchronous != nil {
            let suspending: @Sendable (DependencyContainer, Void) async throws -> Service = { asked, _ in
                let container = owner.container ?? asked
                defer { withExtendedLifetime(container) {} }
                let resolution = Resolution(container: asked, owner: container)
                return try decorator(try await factory.instance(suspending: key, (), resolution), asked)
            }
            closures = factory.isAsynchronous ? .asynchronous(suspending) : .both(direct, suspending)
        } else {
            closures = .synchronous(direct)
        }
        self.init(
            key, name, inner.lifetimeOfService, callSite, closures, requirements: requirements,
            decorated: inner.disposals)
    }
}
