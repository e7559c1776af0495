/// The creation that a task runs, as long as it is in flight.
///
/// Every task that a factory starts inherits the task-local (`TaskContext`), and may live much longer than the creation. So the task-local holds
/// this object, which drops the creation when it ends. A task is inside a creation only while that is in flight (invariant J5 in
/// Design.md), and keeps no part of it alive afterwards. Then the task is inside no other creation either: the creation around that
/// one waited for its instance, and not for the task.
final class CreationContext: Sendable {
    private let running: Locked<Creation?>

    init(_ creation: Creation) {
        // Raised until `end()`: see `creation`.
        beginWatching()
        running = Locked(creation)
    }

    /// Drops the creation, after its factory has returned, has thrown, or was abandoned.
    func end() {
        let ended = running.withLock { $0.take() }
        if ended != nil { endWatching() }
        // Released outside the lock: the object graph of the creation may hold the last references to services.
        withExtendedLifetime(ended) {}
    }

    /// Runs a factory that does not suspend, for a service of its own inside the creation of this task. The tasks that the factory starts
    /// are inside that creation until the factory returns, and not until the creation ends.
    static func limit<Output, Failure: Error>(_ factory: () throws(Failure) -> Output) throws(Failure) -> Output {
        guard let context = limited else { return try factory() }
        defer { context.end() }
        return try TaskContext.inside(context).bind(factory)
    }

    /// A new context of the creation of this task, which the caller has to end; nil if there is none.
    static var limited: CreationContext? { creation.map(CreationContext.init) }

    /// The innermost creation of this task, if it is still in flight.
    ///
    /// Reads the task-local only while the process is watched. A context that this task can find raised the watch count before it
    /// was bound, and lowers it only after it has dropped its creation. Each write of the count is a read-modify-write, so a relaxed
    /// load that finds zero comes after the lowering: the context has ended.
    static var creation: Creation? { isWatched ? TaskContext.current.creation?.running.withLock { $0 } : nil }
}
