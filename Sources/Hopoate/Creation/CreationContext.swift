/// The creation that a task runs, as long as it is in flight.
///
/// Every task that a factory starts inherits the task-local, and may live much longer than the creation. So the task-local holds
/// this object, which drops the creation when it ends. A task is inside a creation only while that is in flight (invariant J5 in
/// Design.md), and keeps no part of it alive afterwards.
final class CreationContext: Sendable {
    /// Bound only by this library, around factories that suspend.
    @TaskLocal
    static var current: CreationContext?

    private let running: Locked<Creation?>
    /// The context of the creation around this one, which was in flight when this one began. So the chain is as long as creations
    /// are nested, even if tasks that outlive their creation keep beginning others.
    private let outer: CreationContext?

    init(_ creation: Creation) {
        // Raised until `end()`: see `nearest`.
        beginWatching()
        running = Locked(creation)
        outer = CreationContext.nearest
    }

    /// Drops the creation, after its factory has returned, has thrown, or was abandoned.
    func end() {
        let ended = running.withLock { $0.take() }
        if ended != nil { endWatching() }
        // Released outside the lock: the object graph of the creation may hold the last references to services.
        withExtendedLifetime(ended) {}
    }

    /// The innermost creation of this task that is still in flight.
    static var creation: Creation? { nearest?.running.withLock { $0 } }

    /// The context of the innermost creation of this task that is still in flight.
    ///
    /// Reads the task-local only while the process is watched. A context that this task can find raised the watch count before it
    /// was bound, and lowers it only after it has dropped its creation. Each write of the count is a read-modify-write, so a relaxed
    /// load that finds zero comes after the lowering: the context has ended.
    static var nearest: CreationContext? {
        guard isWatched else { return nil }
        var context = current
        while let candidate = context {
            if candidate.running.withLock({ $0 != nil }) { return candidate }
            context = candidate.outer
        }
        return nil
    }
}
