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
    /// Disposal hooks run one after the other: synchronous ones on the caller's actor. A hook that throws does not keep the others
    /// from running. A second call does nothing. Children have instances of their own: shut them down first.
    ///
    /// - Throws: ``DependencyShutdownError`` if hooks threw, after all hooks have run.
    /// - Complexity: O(n) in the number of registrations and instances, plus the hooks.
    public func shutdown(isolation: isolated (any Actor)? = #isolation) async throws(DependencyShutdownError) {
        let disposals = beginShutdown()
        // A request scope seldom has any, and a task costs more than all the rest.
        if disposals.isEmpty { return }
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

    /// Shuts the container down from synchronous code: asynchronous disposal hooks are started, but not awaited.
    ///
    /// ```swift
    /// try container.shutdown()
    /// ```
    ///
    /// Otherwise it does the same as ``shutdown(isolation:)``.
    ///
    /// - Throws: ``DependencyShutdownError`` if synchronous hooks threw, after all of them have run.
    /// - Complexity: O(n) in the number of registrations and instances, plus the hooks.
    public func shutdown() throws(DependencyShutdownError) {
        var failures: [DependencyShutdownError.Failure] = []
        for disposal in beginShutdown() {
            if let error = disposal.run() { failures.append(.init(disposal.service, error)) }
        }
        try endShutdown(failures)
    }

    /// Marks the container as shut down and empties it.
    ///
    /// - Returns: The disposals to run, newest first; none if the shutdown has begun before.
    @discardableResult
    func beginShutdown() -> [Disposal] {
        guard state.beginToEnd() else { return [] }
        // The order matters. The container is marked before it is emptied, so a lookup that fails reports `.shutDown`. It is sealed
        // before it is emptied, so no registration is added afterwards.
        registry.seal()
        let disposals = state.takeDisposals()
        registry.removeAll()
        return disposals
    }

    private func endShutdown(_ failures: [DependencyShutdownError.Failure]) throws(DependencyShutdownError) {
        if !failures.isEmpty { throw DependencyShutdownError(failures: failures) }
    }
}

/// The errors of the disposal hooks that threw while a container was shut down. All other hooks have run.
///
/// - Note: Concurrency. Immutable and thread-safe.
public struct DependencyShutdownError: Error, Sendable, CustomStringConvertible {
    /// A disposal hook that threw.
    public struct Failure: Sendable {
        /// The type of the service that the hook had to dispose of.
        public let service: any Any.Type
        /// The error that the hook threw.
        public let error: any Error

        init(_ service: any Any.Type, _ error: any Error) {
            self.service = service
            self.error = error
        }
    }

    /// The failures, in the order in which they happened.
    public let failures: [Failure]

    /// The errors of all hooks, one per line.
    ///
    /// - Complexity: O(n) in the number of failures.
    public var description: String {
        let lines = failures.map { "  '\(String(reflecting: $0.service))' threw: \($0.error)" }
        let count = failures.count == 1 ? "1 disposal hook" : "\(failures.count) disposal hooks"
        return (["Shutdown completed, but \(count) failed:"] + lines).joined(separator: "\n")
    }
}
