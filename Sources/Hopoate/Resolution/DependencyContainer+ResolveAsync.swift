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
        let key = ServiceKey<Service>(named: name)
        let lookup = lookUp(key.erased)
        if let instance = lookup.address(of: key, in: self) {
            defer { lookup.end() }
            return instance.pointee
        }
        guard let registration = lookup.registration(of: key) else { throw missing(key, CallSite(fileID, line)) }
        let resolution = Resolution(container: self, holder: lookup.owner)
        do throws(DependencyError) {
            guard let factory = registration.factory(taking: Void.self) else {
                return try registration.instance(key, resolution)
            }
            guard factory.transientClosure != nil else {
                return try await factory.instance(suspending: key, (), resolution)
            }
            // The usual case of a controller, without the functions that may suspend.
            var graph: ObjectGraph?
            guard let create = try factory.suspendingClosure(key.erased, in: self, &graph) else {
                // Almost never: a dependency that was created just now uses `Lifetime.graph`.
                if graph != nil { return try factory.create(key, (), self, graph: graph) }
                return try factory.instance(key, (), resolution)
            }
            return try await factory.create(key, (), self, create, graph)
        } catch {
            throw error.thrown(at: CallSite(fileID, line), in: self)
        }
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
            return try await factory.instance(
                suspending: key, (first, (repeat each rest)), Resolution(container: self, holder: lookup.owner))
        } catch {
            throw error.thrown(at: CallSite(fileID, line), in: self)
        }
    }
}
