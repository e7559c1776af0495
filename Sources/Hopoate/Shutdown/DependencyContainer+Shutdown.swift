extension DependencyContainer {
    /// Closes the container for registrations. A sealed container cannot be opened again.
    ///
    /// ```swift
    /// container.seal()
    /// ```
    ///
    /// Call it when a program is set up and every later registration would be a mistake. From then on, registering and overwriting
    /// trap with a message that names the place. Everything else still works: lookups, creation, children, removal and
    /// `shutdown()`. A concurrent registration either completes before this call returns, or traps.
    ///
    /// - Complexity: Constant.
    public func seal() { registry.seal() }

    /// Whether the container refuses registrations, because of ``seal()`` or because it was shut down.
    public var isSealed: Bool { registry.isSealed }

    /// Removes all registrations and disposes of their instances, in the reverse order of creation.
    ///
    /// ```swift
    /// try await container.shutdown()
    /// ```
    ///
    /// Once the shutdown has begun, resolving a service that this container has registered fails with
    /// ``DependencyError/Reason/shutDown``, here and in its children. A child still finds existing instances of the services that it
    /// has registered itself, but creates no new shared ones. Services that a parent of this container has registered are still found.
    /// An instance whose creation is in flight is disposed of as soon as it exists, and its callers get the error.
    ///
    /// An instance that another one has used through a handle counts as created before it, so the user is disposed of first.
    ///
    /// Disposal hooks run one after the other: synchronous ones on the caller's actor. Asynchronous hooks of instances that have left before,
    /// for example because they were removed or over a limit, may still run. They are awaited first, unless one of them makes this call.
    /// A hook that throws does not keep the others from running. There is no time limit; ``shutdown(limit:hookLimit:isolation:)`` has
    /// limits, and runs hooks in parallel. Children have instances of their own: shut them down first.
    ///
    /// A second call does nothing and returns at once, even if the first one still runs. It does not wait for the first one, because a
    /// hook may make it.
    ///
    /// - Throws: ``DependencyShutdownError`` if hooks threw, after all hooks have run.
    /// - Complexity: O(n) in the number of registrations and instances, plus the hooks.
    public func shutdown(isolation: isolated (any Actor)? = #isolation) async throws(DependencyShutdownError) {
        guard let disposals = beginShutdown() else { return }
        // A request scope seldom has any, and a task costs more than all the rest.
        if disposals.isEmpty, state.leaving.isEmpty { return }
        // In a task of its own: if the caller is cancelled, the hooks still have to do their work.
        let failures = await Task {
            _ = isolation
            return await finish(disposals, isolation: isolation)
        }.value
        try endShutdown(failures)
    }

    /// Shuts the container down within time limits: runs independent hooks in parallel, and leaves hooks behind that take too long.
    ///
    /// ```swift
    /// try await container.shutdown(limit: .seconds(20), hookLimit: .seconds(5))
    /// ```
    ///
    /// Otherwise it does the same as ``shutdown(isolation:)``, with these differences:
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
    /// - Throws: ``DependencyShutdownError`` if hooks threw or did not finish, after the last level. It names those that did not finish.
    /// - Complexity: O(n log n) in the number of registrations and instances, plus the hooks.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @discardableResult
    public func shutdown(
        limit: Duration?, hookLimit: Duration? = nil, isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyShutdownError) -> DependencyShutdownReport {
        try await shutdown(limit: limit, hookLimit: hookLimit, by: ClockTime(ContinuousClock()))
    }

    /// The same as the other form, with a time of the caller's choice.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @discardableResult
    package func shutdown(
        limit: Duration?, hookLimit: Duration?, by time: any ElapsedTime,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyShutdownError) -> DependencyShutdownReport {
        guard let levels = beginShutdown({ UseSearch.levels(of: $0, in: self) }),
            !levels.isEmpty || !state.leaving.isEmpty
        else { return DependencyShutdownReport() }
        // In a task of its own: if the caller is cancelled, the hooks still have to do their work.
        let ended = await Task {
            _ = isolation
            var shutdown = BoundedShutdown(limit: limit, hookLimit: hookLimit, time)
            await shutdown.awaitLeaving(of: state)
            for level in levels { await shutdown.run(level, isolation: isolation) }
            return shutdown
        }.value
        let report = ended.report
        try endShutdown(ended.failures, ended.unfinished, report)
        return report
    }

    /// Shuts the container down from code that cannot suspend: asynchronous disposal hooks are started, but not awaited.
    ///
    /// ```swift
    /// try container.shutdownWithoutAwaitingHooks()
    /// ```
    ///
    /// The process may end before these hooks do. Otherwise this does the same as ``shutdown(isolation:)``.
    ///
    /// - Throws: ``DependencyShutdownError`` if synchronous hooks threw, after all of them have run.
    /// - Complexity: O(n) in the number of registrations and instances, plus the hooks.
    public func shutdownWithoutAwaitingHooks() throws(DependencyShutdownError) {
        var failures: [DependencyShutdownError.Failure] = []
        for disposal in beginShutdown() ?? [] {
            if let error = disposal.run(in: nil) { failures.append(.init(disposal.service, error)) }
        }
        try endShutdown(failures)
    }

    /// Marks the container as shut down and empties it.
    ///
    /// - Returns: The disposals to run, newest first; nil if the shutdown has begun before.
    @discardableResult
    func beginShutdown() -> [Disposal]? { beginShutdown { UseSearch.order(of: $0, in: self) } }

    /// The same as the other form, with a closure that plans the disposals while the container still has its registrations.
    ///
    /// - Returns: The plan; nil if the shutdown has begun before.
    private func beginShutdown<Plan>(_ plan: ([Disposal]) -> Plan) -> Plan? {
        guard state.beginToEnd() else { return nil }
        // The order matters. The container is marked before it is emptied, so a lookup that fails reports `.shutDown`. It is sealed
        // before it is emptied, so no registration is added afterwards.
        registry.seal()
        let plan = plan(state.takeDisposals())
        registry.removeAll()
        return plan
    }

    /// Runs the hooks of all instances, after those that began before the shutdown.
    func finish(
        _ disposals: [Disposal], isolation: isolated (any Actor)?
    ) async -> [DependencyShutdownError.Failure] {
        await state.awaitLeaving()
        return await disposals.finish(isolation: isolation)
    }

    private func endShutdown(
        _ failures: [DependencyShutdownError.Failure], _ unfinished: [DependencyShutdownError.Unfinished] = [],
        _ report: DependencyShutdownReport = DependencyShutdownReport()
    ) throws(DependencyShutdownError) {
        if !failures.isEmpty || !unfinished.isEmpty { throw DependencyShutdownError(failures, unfinished, report) }
    }
}
