extension DependencyContainer {
    /// The newest service of a type, created asynchronously where it has to be; nobody's thread is blocked meanwhile.
    ///
    /// ```swift
    /// container.register(Database.self) { _ in try await Database.connect() }
    /// let database = try await container.asyncResolve(Database.self)
    /// ```
    ///
    /// All who ask while the service is being created share that creation, and its failure too; a failure is not kept for those
    /// who come later. Services that are created synchronously, or exist already, are found as well.
    ///
    /// - Parameters:
    ///   - serviceType: The type it was registered under.
    ///   - name: The name it was registered with; nil for one without.
    ///   - fileID: Where it is asked for; filled in by the compiler.
    ///   - line: Where it is asked for; filled in by the compiler.
    ///   - isolation: The actor of the caller, on which creators that do not suspend run; filled in by the compiler.
    /// - Returns: The service, kept.
    /// - Throws: As ``require(_:named:fileID:line:)``; ``DependencyError/Reason/cancelled`` where the task is cancelled while it
    ///   waits, which neither ends the creation nor disturbs the others.
    /// - Complexity: As ``resolve(_:fileID:line:)`` where the service exists.
    /// - Note: Concurrency. From any task.
    public func asyncResolve<Service>(
        _ serviceType: Service.Type = Service.self, named name: DependencyName? = nil, fileID: StaticString = #fileID,
        line: UInt = #line, isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Service {
        let key = ServiceKey<Service>(named: name)
        var owner: DependencyContainer? = self
        while let container = owner {
            if let registration = container.registry.newest(key) {
                let resolution = Resolution(container: self, owner: container)
                guard let factory = registration.source.factory(taking: Void.self) else {
                    return try registration.instance(key, resolution)
                }
                return try await factory.instance(suspending: key, (), resolution)
            }
            owner = container.parent
        }
        throw missing(key, CallSite(fileID, line))
    }

    /// The service for arguments, created asynchronously where it has to be.
    ///
    /// ```swift
    /// let profile = try await container.asyncResolve(Profile.self, arguments: 7)
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type it was registered under.
    ///   - name: The name it was registered with; nil for one without.
    ///   - first: The first argument.
    ///   - rest: The others.
    ///   - fileID: Where it is asked for; filled in by the compiler.
    ///   - line: Where it is asked for; filled in by the compiler.
    ///   - isolation: The actor of the caller, on which creators that do not suspend run; filled in by the compiler.
    /// - Returns: The service, kept.
    /// - Throws: As ``asyncResolve(_:named:fileID:line:isolation:)``.
    /// - Complexity: As ``resolve(_:fileID:line:)`` where the service exists.
    /// - Note: Concurrency. From any task.
    public func asyncResolve<Service, First, each Rest>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, arguments first: First,
        _ rest: repeat each Rest,
        fileID: StaticString = #fileID, line: UInt = #line, isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Service {
        typealias Arguments = (First, (repeat each Rest))
        let key = ServiceKey<Service>(arguments: Arguments.self, named: name)
        var owner: DependencyContainer? = self
        while let container = owner {
            if let factory = container.registry.newest(key)?.source.factory(taking: Arguments.self) {
                return try await factory.instance(
                    suspending: key, (first, (repeat each rest)), Resolution(container: self, owner: container))
            }
            owner = container.parent
        }
        throw missing(key, CallSite(fileID, line))
    }
}
