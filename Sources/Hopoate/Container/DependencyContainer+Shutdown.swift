extension DependencyContainer {
    /// Closes the container for registrations, for ever: once a program is set up, a registration is a mistake.
    ///
    /// ```swift
    /// container.seal()
    /// ```
    ///
    /// Registering and overwriting trap from then on, with a message that says where. Everything else goes on as before: lookups,
    /// creation, children, removal, and `shutdown()`.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread. A registration that was under way is either complete before the return, or refused.
    public func seal() { registry.seal() }

    /// Whether ``seal()`` was called, or the container was shut down.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public var isSealed: Bool { registry.isSealed }

    /// Ends the container: lets go of all that it holds, and disposes of it in the reverse order of its creation.
    ///
    /// ```swift
    /// try await container.shutdown()
    /// ```
    ///
    /// What is asked for meanwhile and afterwards, here and in children, fails with ``DependencyError/Reason/shutDown``; only
    /// what the parents hold is found as before. A hook that throws does not keep the others from running. A second call does
    /// nothing. Children have services of their own, and are shut down on their own, before their parent.
    ///
    /// - Parameter isolation: The actor of the caller, on which hooks that do not suspend run; filled in by the compiler.
    /// - Throws: ``DependencyShutdownError``, when all is done, where hooks threw.
    /// - Complexity: Linear in what the container holds, plus the hooks, one after the other.
    /// - Note: Concurrency. From any task. What is being created meanwhile is disposed of as soon as it exists, and whoever asked
    ///   for it gets the error.
    public func shutdown(isolation: isolated (any Actor)? = #isolation) async throws(DependencyShutdownError) {
        let disposals = beginShutdown()
        // In a task of its own: if the caller is cancelled, the hooks still have to do their work.
        let failures = await Task {
            _ = isolation
            var failures: [DependencyShutdownError.Failure] = []
            for disposal in disposals {
                for error in await disposal.finish(isolation: isolation) {
                    failures.append(.init(disposal.service, error))
                }
            }
            return failures
        }.value
        try endShutdown(failures)
    }

    /// Ends the container, where nothing can be waited for: as the asynchronous form, but asynchronous hooks are only started.
    ///
    /// ```swift
    /// try container.shutdown()
    /// ```
    ///
    /// - Throws: ``DependencyShutdownError``, when all is done, where hooks threw.
    /// - Complexity: Linear in what the container holds, plus the hooks.
    /// - Note: Concurrency. From any thread.
    public func shutdown() throws(DependencyShutdownError) {
        var failures: [DependencyShutdownError.Failure] = []
        for disposal in beginShutdown() {
            if let error = disposal.run() { failures.append(.init(disposal.service, error)) }
        }
        try endShutdown(failures)
    }

    /// Takes all out, so that nothing is found any more.
    ///
    /// - Returns: What is to be done, latest first; nothing where somebody else has begun.
    @discardableResult
    func beginShutdown() -> [Disposal] {
        guard state.beginToEnd() else { return [] }
        // In this order: who finds nothing any more sees that it is the end; and no registration comes in after the emptying.
        registry.seal()
        let disposals = state.takeDisposals()
        registry.removeAll()
        return disposals
    }

    private func endShutdown(_ failures: [DependencyShutdownError.Failure]) throws(DependencyShutdownError) {
        if !failures.isEmpty { throw DependencyShutdownError(failures: failures) }
    }
}

/// What the hooks threw while a container was shut down. All others have run.
///
/// - Note: Concurrency. Immutable; from any thread.
public struct DependencyShutdownError: Error, Sendable, CustomStringConvertible {
    /// A hook that threw.
    public struct Failure: Sendable {
        /// The type of the service that it was to dispose of.
        public let service: any Any.Type
        /// What it threw.
        public let error: any Error

        init(_ service: any Any.Type, _ error: any Error) {
            self.service = service
            self.error = error
        }
    }

    /// The failures, in the order in which they happened.
    public let failures: [Failure]

    /// All of it, a line for each.
    ///
    /// - Complexity: Linear in the number of failures.
    /// - Note: Concurrency. From any thread.
    public var description: String {
        let lines = failures.map { "  '\(String(reflecting: $0.service))' threw: \($0.error)" }
        return (["\(failures.count) services could not be disposed of properly:"] + lines).joined(separator: "\n")
    }
}
