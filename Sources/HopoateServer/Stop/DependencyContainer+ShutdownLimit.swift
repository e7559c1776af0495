public import Hopoate

extension DependencyContainer {
    /// Shuts the container down within time limits: runs independent hooks in parallel, and leaves hooks behind that take too long.
    ///
    /// ```swift
    /// try await container.shutdown(limit: .seconds(20), hookLimit: .seconds(5))
    /// ```
    ///
    /// Otherwise it does the same as `shutdown()`, with these differences:
    ///
    /// - **Order.** The hooks of an instance run only after those of all instances that may use it. The container knows the parameters of
    ///   initializers that are registered with `using:`, including lazy ones, and follows them through transient services and aliases. An
    ///   instance of a factory closure may use all instances that were created before it. So may every instance with an `afterCreation`
    ///   closure, and every instance of which a dependency is decorated or comes from a closure. Instances that may use each other end in
    ///   the reverse order of creation. So does the whole container, if registrations were removed or replaced after instances with hooks
    ///   had been created. An instance that was used through a handle counts as created before its user.
    /// - **Parallel hooks.** Instances of which none may use the other form a level. The asynchronous hooks of a level run in parallel.
    ///   Synchronous hooks still run one after the other, on the caller's actor. The next level begins when all hooks of a level have ended
    ///   or were left behind.
    /// - **Limits.** If an asynchronous hook exceeds its limit, its task is cancelled, and the shutdown goes on without it. The hook may
    ///   still run, and its result is ignored. When the limit over all is reached, running hooks are cancelled in the same way, and no
    ///   further asynchronous hook is started. Hooks that began before have the same limits, from the call on. Synchronous hooks cannot be
    ///   interrupted. They run in every case, also after the limit: they close files, and skipping them would lose data.
    ///
    /// The container does not know what an initializer resolves by itself. Register such a service with a factory closure, or take the
    /// service as a parameter.
    ///
    /// The shutdown does not wait for creations in flight. The hooks of such an instance run as soon as it exists, without a limit.
    ///
    /// - Parameters:
    ///   - limit: The time for all hooks together; nil for no limit. If it is zero or less, no asynchronous hook is started.
    ///   - hookLimit: The time for each asynchronous hook; nil for no limit. If it is zero or less, hooks are cancelled when they start.
    /// - Returns: The instances with hooks, in the order of disposal, with their times; none if the shutdown has begun before.
    /// - Throws: `DependencyShutdownError` if hooks threw or did not finish, after the last level. It names those that did not finish.
    /// - Complexity: O(n log n) in the number of registrations and instances, plus the hooks.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @discardableResult
    public func shutdown(
        limit: Duration?, hookLimit: Duration? = nil, isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyShutdownError) -> DependencyShutdownReport {
        try await shutdown(limit: limit, hookLimit: hookLimit, before: nil)
    }

    /// The same as the other form, with a time of the caller's choice, and a closure that runs before the hooks of each instance.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @discardableResult
    package func shutdown(
        limit: Duration?, hookLimit: Duration?, by time: any ElapsedTime = ClockTime(ContinuousClock()),
        before willDispose: (@Sendable (ServiceIdentity) async -> Void)? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyShutdownError) -> DependencyShutdownReport {
        guard let levels = beginShutdown(DisposalOrder.levels), !levels.isEmpty || !leavingInstances.isEmpty
        else { return DependencyShutdownReport() }
        // In a task of its own: if the caller is cancelled, the hooks still have to do their work.
        let ended = await Task {
            _ = isolation
            var shutdown = BoundedShutdown(limit: limit, hookLimit: hookLimit, time)
            await shutdown.awaitLeavingInstances(of: self)
            for level in levels {
                if let willDispose { for disposal in level { await willDispose(disposal.identity) } }
                await shutdown.run(level, isolation: isolation)
            }
            return shutdown
        }.value
        let report = ended.report
        if ended.failures.isEmpty, ended.unfinished.isEmpty { return report }
        throw DependencyShutdownError(ended.failures, LimitedShutdown(unfinished: ended.unfinished, report: report))
    }
}
