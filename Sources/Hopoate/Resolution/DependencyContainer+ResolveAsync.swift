extension DependencyContainer {
    /// Returns the newest service of a type, created asynchronously if necessary, without blocking a thread.
    ///
    /// ```swift
    /// container.register(Database.self) { _ in try await Database.connect() }
    /// let database = try await container.asyncResolve(Database.self)
    /// ```
    ///
    /// Concurrent callers share one creation of a shared instance, and its error if the creation fails. An error is not cached: the next
    /// caller starts a new creation. If a waiting task is cancelled, only its call ends; the creation and its other waiters go on. A
    /// transient service is created in the caller's task.
    ///
    /// The call also finds existing instances and services with a synchronous factory, which runs on the caller's actor. An initializer
    /// that is registered with `using:` runs there, too, if the service is transient or scoped and all shared services that it needs exist.
    /// Scoped services that it needs are created first, also there, unless another caller is creating them.
    ///
    /// Parameters are the same as for ``require(_:named:fileID:line:)``.
    ///
    /// - Throws: ``DependencyError`` in the same cases as ``require(_:named:fileID:line:)``; with the reason
    ///   ``DependencyError/Reason/cancelled`` if the task is cancelled while it waits.
    /// - Complexity: That of ``resolve(_:fileID:line:)`` if the instance exists. A call for an instance that does
    ///   not exist yet also costs its factory.
    public func asyncResolve<Service>(
        _ serviceType: Service.Type = Service.self, named name: DependencyName? = nil, fileID: StaticString = #fileID,
        line: UInt = #line, isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Service {
        do throws(UnfinishedResolution) {
            return try resolveWithoutSuspending(serviceType, named: name)
        } catch {
            return try await resolve(serviceType, named: name, after: error, fileID: fileID, line: line)
        }
    }

    /// The first half of `asyncResolve`: returns the newest service of a type, unless it has to be created by a form that suspends.
    ///
    /// If it throws, call ``resolve(_:named:after:fileID:line:isolation:)``.
    package func resolveWithoutSuspending<Service>(
        _ serviceType: Service.Type, named name: DependencyName?
    ) throws(UnfinishedResolution) -> Service {
        let key = ServiceKey<Service>(named: name)
        let lookup = lookUp(key.erased)
        if let factory = lookup.transientFactory(of: key) {
            guard let borrow = lookup.borrow() else {
                let factory = factory.object
                lookup.end()
                return try factory.createWithoutSuspending(key, (), in: self)
            }
            defer { borrow.end() }
            return try factory.with { factory throws(UnfinishedResolution) in
                try factory.createWithoutSuspending(key, (), in: self)
            }
        }
        if let instance = lookup.address(of: key, in: self) {
            defer { lookup.end() }
            return instance.pointee
        }
        guard let registration = lookup.registration(of: key) else { throw UnfinishedResolution(.missing) }
        if registration.factory != nil { throw UnfinishedResolution(.suspends(nil)) }
        do throws(DependencyError) {
            return try registration.resolve(key, Resolution(container: self, holder: lookup.owner))
        } catch {
            throw UnfinishedResolution(.failed(error))
        }
    }

    /// The second half of `asyncResolve`: throws the error of the first half, or creates the service by a form that suspends.
    package func resolve<Service>(
        _ serviceType: Service.Type, named name: DependencyName?, after unfinished: UnfinishedResolution,
        fileID: StaticString, line: UInt, isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Service {
        let key = ServiceKey<Service>(named: name)
        do throws(DependencyError) {
            switch unfinished.reason {
            case .failed(let error): throw error
            case .suspends(let graph):
                let lookup = lookUp(key.erased)
                // Otherwise it has been removed meanwhile.
                guard let registration = lookup.registration(of: key) else { break }
                return try await registration.resolve(
                    suspending: key, Resolution(container: self, holder: lookup.owner), graph)
            case .missing: break
            }
        } catch {
            throw error.thrown(at: CallSite(fileID, line), in: self)
        }
        throw missing(key, CallSite(fileID, line))
    }

    /// Returns the service for arguments, created asynchronously if necessary.
    ///
    /// ```swift
    /// let profile = try await container.asyncResolve(Profile.self, arguments: 7)
    /// ```
    ///
    /// The same as ``asyncResolve(_:named:fileID:line:isolation:)``, but with arguments. They are matched in the same way as in
    /// ``resolve(_:named:arguments:_:fileID:line:)``.
    ///
    /// - Throws: The same errors as ``asyncResolve(_:named:fileID:line:isolation:)``.
    /// - Complexity: That of ``asyncResolve(_:named:fileID:line:isolation:)``.
    public func asyncResolve<Service, First, each Rest>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, arguments first: First,
        _ rest: repeat each Rest,
        fileID: StaticString = #fileID, line: UInt = #line, isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Service {
        typealias Arguments = (First, (repeat each Rest))
        let key = ServiceKey<Service>(arguments: Arguments.self, named: name)
        let lookup = lookUp(key.erased)
        guard let factory = lookup.registration(of: key)?.factory(taking: Arguments.self) else {
            throw missing(key, CallSite(fileID, line))
        }
        do throws(DependencyError) {
            return try await factory.resolve(
                suspending: key, (first, (repeat each rest)), Resolution(container: self, holder: lookup.owner))
        } catch {
            throw error.thrown(at: CallSite(fileID, line), in: self)
        }
    }
}

extension ServiceRegistration {
    /// Returns the instance for a resolve call, creating it by a form that suspends if there is one.
    ///
    /// - Parameter graph: The object graph of the resolve call, if it is known.
    fileprivate func resolve(
        suspending key: ServiceKey<Service>, _ resolution: Resolution, _ graph: ObjectGraph?,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Service {
        guard let factory = factory(taking: Void.self) else { return try resolve(key, resolution) }
        guard factory.isTransient else { return try await factory.resolve(suspending: key, (), resolution) }
        let container = resolution.container
        guard let create = factory.suspendingClosure(ifNotReadyIn: container) else {
            return try factory.runFactory(key, (), container, graph: graph)
        }
        return try await factory.runFactory(key, (), container, create, graph)
    }
}
