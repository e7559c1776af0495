extension DependencyContainer {
    /// Closes the container for registrations. A sealed container cannot be opened again.
    ///
    /// ```swift
    /// container.seal()
    /// ```
    ///
    /// Call it when a program is set up and every later registration would be a mistake. From then on, registering and overwriting
    /// trap with a message that names their place and that of this call. Everything else still works: lookups, creation, children, removal and
    /// `shutdown()`. A concurrent registration either completes before this call returns, or traps.
    ///
    /// - Complexity: Constant.
    public func seal(fileID: StaticString = #fileID, line: UInt = #line) {
        state.noteSeal(at: CallSite(fileID, line))
        registry.seal()
    }

    /// Closes the container for registrations, and validates it.
    ///
    /// ```swift
    /// try container.seal(.strict, roots: [DependencyRoot(Checkout.self)]) { request in
    ///     request.register(7, for: Int.self)
    /// }
    /// ```
    ///
    /// The same as ``seal(fileID:line:)``, followed by ``validate(_:roots:prepare:)``. So no registration comes too late for the
    /// validation. The container stays sealed if there are findings.
    ///
    /// - Parameters:
    ///   - rules: The mistakes to look for.
    ///   - roots: The services that code outside the container resolves.
    ///   - prepare: Registers the services that each request brings.
    /// - Returns: The number of checked registrations, and the registrations with factory closures.
    /// - Throws: The same errors as the validation.
    /// - Complexity: That of the validation.
    @discardableResult
    public func seal(
        _ rules: DependencyValidationRules, roots: [DependencyRoot] = [], fileID: StaticString = #fileID,
        line: UInt = #line, prepare: (DependencyContainer) throws -> Void = { _ in }
    ) throws -> DependencyValidationReport {
        seal(fileID: fileID, line: line)
        return try validate(rules, roots: roots, prepare: prepare)
    }

    /// Whether the container refuses registrations, because of ``seal(fileID:line:)`` or because it was shut down.
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
    /// A hook that throws does not keep the others from running. There is no time limit; the `shutdown(limit:)` of
    /// HopoateServer has limits, and runs hooks in parallel. Children have instances of their own: shut them down first.
    ///
    /// A second call does nothing and returns at once, even if the first one still runs. It does not wait for the first one, because a
    /// hook may make it.
    ///
    /// - Throws: ``DependencyShutdownError`` if hooks threw, after all hooks have run.
    /// - Complexity: O(n) in the number of registrations and instances, plus the hooks.
    public func shutdown(isolation: isolated (any Actor)? = #isolation) async throws(DependencyShutdownError) {
        try await shutdown(isolation: isolation, before: nil)
    }

    /// The same, with a closure that runs before the hooks of each instance.
    package func shutdown(
        isolation: isolated (any Actor)? = #isolation, before willDispose: (@Sendable (ServiceIdentity) async -> Void)?
    ) async throws(DependencyShutdownError) {
        guard let disposals = beginShutdown() else { return }
        // A request scope seldom has any, and a task costs more than all the rest.
        if disposals.isEmpty, state.leaving.isEmpty { return }
        // In a task of its own: if the caller is cancelled, the hooks still have to do their work.
        let failures = await Task {
            _ = isolation
            return await finish(disposals, isolation: isolation, before: willDispose)
        }.value
        try endShutdown(failures)
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
    func beginShutdown() -> [Disposal]? {
        beginShutdown { children, disposals, container in
            children.flatMap(\.self) + UseSearch.order(of: disposals, in: container)
        }
    }

    /// The same as the other form, with a closure that plans the disposals while the container still has its registrations.
    ///
    /// - Parameter plan: Gets the plans of the children that end before the container, newest first; the disposals of the container,
    ///   newest first; and the container.
    /// - Returns: The plan; nil if the shutdown has begun before.
    package func beginShutdown<Plan>(
        _ plan: (_ children: [Plan], _ disposals: [Disposal], _ container: DependencyContainer) -> Plan
    ) -> Plan? {
        if let viewedContainer { return viewedContainer.beginShutdown(plan) }
        guard let children = state.beginToEnd() else { return nil }
        // The order matters. The container is marked before it is emptied, so a lookup that fails reports `.shutDown`. It is sealed
        // before it is emptied, so no registration is added afterwards.
        registry.seal()
        let ended = children.flatMap { $0.close() }
        let plans = ended.reversed().compactMap { $0.beginShutdown(plan) }
        if !ended.isEmpty { state.noteEnd(of: ended.map(\.state)) }
        let plan = plan(plans, state.takeDisposals(), self)
        registry.removeAll()
        generations?.removeAll()
        return plan
    }

    /// Arranges that children end before the container.
    ///
    /// - Returns: Whether they do. If not, the shutdown has begun.
    package func endsAfter(_ children: any ChildContainers) -> Bool { state.add(children) }

    /// Starts a task that shuts this container down. A later shutdown of the parent waits for the task.
    ///
    /// The task first awaits the hooks of instances that have left this container.
    ///
    /// - Parameter end: Shuts the container down.
    package func startEnd(_ end: @escaping @Sendable (DependencyContainer) async -> Void) {
        let hooks = DisposalHooks<DependencyContainer>(unchecked: nil) { await end($0) }
        let disposal = Disposal(hooks, for: self, mark: 0)
        // Before the end begins: either the shutdown of the parent ends this container itself, or it finds this entry.
        let parentState = parent?.state
        parentState?.noteStart(of: disposal)
        Task.detached { [state] in
            await state.awaitLeaving()
            await Disposal.$isInStartedHook.withValue(true) { _ = await disposal.finish(isolation: nil) }
            parentState?.noteEnd(of: disposal)
        }
    }

    /// Runs the hooks of all instances, after those that began before the shutdown.
    func finish(
        _ disposals: [Disposal], isolation: isolated (any Actor)?,
        before willDispose: (@Sendable (ServiceIdentity) async -> Void)? = nil
    ) async -> [DependencyShutdownError.Failure] {
        await state.awaitLeaving()
        return await disposals.finish(isolation: isolation, before: willDispose)
    }

    /// The instances whose asynchronous hooks began before the shutdown. Empty inside one of these hooks, which cannot wait for itself.
    package var leavingInstances: [Disposal] { state.leaving }

    /// Waits for the hooks of all leaving instances. The closure does not retain the container.
    package var awaitLeavingInstances: @Sendable () async -> Void { { [state] in await state.awaitLeaving() } }

    /// Whether the shutdown of this container or of a parent has begun.
    package var isShutDown: Bool { hasEnded }

    private func endShutdown(_ failures: [DependencyShutdownError.Failure]) throws(DependencyShutdownError) {
        if !failures.isEmpty { throw DependencyShutdownError(failures) }
    }
}
