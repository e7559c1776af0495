extension DependencyContainer {
    /// Puts something around the newest service of a type: a cache, a meter, a log.
    ///
    /// ```swift
    /// container.decorate((any Greeter).self) { inner, container in Counting(inner) }
    /// ```
    ///
    /// What is found from then on is what the closure makes of the service that was found before. It lives as that does: around
    /// an instance that exists, it is made now; around a singleton, when it is first asked for. Removing the token takes it off
    /// again. In a child, it is put around the parent's service for the child only.
    ///
    /// - Parameters:
    ///   - serviceType: The type, of which one has to be registered.
    ///   - name: The name it was registered with; nil for one without.
    ///   - fileID: Where it is decorated; filled in by the compiler.
    ///   - line: Where it is decorated; filled in by the compiler.
    ///   - decorator: Makes the service to be found of the one inside.
    /// - Returns: A token for ``remove(_:)``.
    /// - Complexity: As for registering a creator.
    /// - Note: Concurrency. From any thread. What another thread registers meanwhile is not decorated.
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
                // What a service of another container needs is looked up there, and what is put around it here: not known then.
                let requirements = container === self ? inner.factory?.requirements : nil
                return add(
                    ServiceDefinition(
                        key, name, callSite, decorating: inner, requirements, of: container, with: decorator))
            }
            owner = container.parent
        }
        failMissing(key, in: self, callSite)
    }
}

extension ServiceDefinition where Arguments == Void {
    fileprivate init(
        _ key: ServiceKey<Service>, _ name: DependencyName?, _ callSite: CallSite,
        decorating inner: ServiceRegistration<Service>, _ requirements: [Requirement]?,
        of container: DependencyContainer,
        with decorator: @escaping @Sendable (Service, DependencyContainer) throws -> Service
    ) {
        // Not the container itself, which is going to hold this: its own registrations it knows anyway.
        let owner = WeakContainer(container)
        let direct = { (asked: DependencyContainer, _: Void) throws -> Service in
            let container = owner.container ?? asked
            return try withExtendedLifetime(container) {
                try decorator(try inner.instance(key, Resolution(container: asked, owner: container)), asked)
            }
        }
        let creator: ServiceFactory<Service, Void>.Closures
        if let factory = inner.source.factory(taking: Void.self), factory.closures.asynchronous != nil {
            let suspending: @Sendable (DependencyContainer, Void) async throws -> Service = { asked, _ in
                let container = owner.container ?? asked
                defer { withExtendedLifetime(container) {} }
                let resolution = Resolution(container: asked, owner: container)
                return try decorator(try await factory.instance(suspending: key, (), resolution), asked)
            }
            creator = factory.isAsynchronous ? .asynchronous(suspending) : .both(direct, suspending)
        } else {
            creator = .synchronous(direct)
        }
        self.init(
            key, name, inner.lifetimeOfService, callSite, creator, requirements: requirements,
            decorated: inner.disposals)
    }
}
