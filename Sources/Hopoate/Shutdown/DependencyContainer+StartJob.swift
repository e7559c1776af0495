extension DependencyContainer {
    /// Starts background work that may outlive a request, with a scope of its own.
    ///
    /// ```swift
    /// let request = container.makeChild()
    /// request.register(7, for: Int.self)
    /// try request.startJob(keeping: Int.self) { job in
    ///     print("working for the request \(try job.require(Int.self))")
    /// }
    /// ```
    ///
    /// Call it on the container of the request. The operation gets another child of the same parent, with the services of the request that it
    /// keeps. So the request ends on time, with its own instances, and the work has scoped services of its own. The child is shut down when
    /// the operation has returned or thrown, also after a cancellation of the task, as by ``withChild(isolation:_:onDisposalFailure:operation:)``.
    ///
    /// The task inherits the task-locals of the caller, such as the logger. If the request is bound as ``shared``, the child takes its place.
    /// The operation must not use the container of the request, which may have ended.
    ///
    /// Nobody waits for the task. If the parent is shut down meanwhile, the operation gets ``DependencyError/Reason/shutDown`` for services that
    /// it resolves from then on.
    ///
    /// - Parameters:
    ///   - kept: The types of the services of the request that the work needs, such as the identifier of the request. They are resolved now,
    ///     and must not have to be closed with the request.
    ///   - priority: The priority of the task; nil for that of the caller.
    ///   - onDisposalFailure: Gets the errors of disposal hooks. If the closure is nil, the task throws them after an operation that succeeded,
    ///     and drops them after one that failed.
    ///   - operation: The work, with its container.
    /// - Returns: The task.
    /// - Throws: ``DependencyError`` if the request has no such service. Then nothing is started.
    /// - Complexity: That of ``makeChild()``, and a lookup for each service that is kept.
    @discardableResult
    public func startJob<each Kept: Sendable, Output: Sendable>(
        keeping kept: repeat (each Kept).Type, priority: TaskPriority? = nil, fileID: StaticString = #fileID,
        line: UInt = #line, onDisposalFailure: (@Sendable (DependencyShutdownError) -> Void)? = nil,
        operation: @escaping @Sendable (DependencyContainer) async throws -> Output
    ) throws(DependencyError) -> Task<Output, any Error> {
        let job = (parent ?? self).makeChild()
        for type in repeat each kept {
            let service = try require(type, fileID: fileID, line: line)
            job.register(service, for: type, fileID: fileID, line: line)
        }
        let failure = Locked<DependencyShutdownError?>(nil)
        let end = ScopeEnd(of: job) { error in
            if let onDisposalFailure { return onDisposalFailure(error) }
            failure.withLock { $0 = error }
        }
        // The task must not inherit the binding of the request, which would keep it.
        let isShared = DependencyContainer.shared === self
        return Self.$shared.withValue(isShared ? job : .shared) {
            Task(priority: priority) {
                let result: Result<Output, any Error>
                do { result = .success(try await operation(job)) } catch { result = .failure(error) }
                await end.reach()
                if case .success = result, let error = failure.withLock(\.self) { throw error }
                return try result.get()
            }
        }
    }
}
