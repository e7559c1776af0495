/// The creation that a task runs, as long as it is in flight.
///
/// Every task that a factory starts inherits the task-local, and may live much longer than the creation. So the task-local holds
/// this object, which drops the creation when it ends. A task is inside a creation only while that is in flight (invariant J5 in
/// Design.md), and keeps no part of it alive afterwards.
final class CreationContext: Sendable {
    /// Bound only by this library, around factories that suspend.
    @TaskLocal
    static var current: CreationContext?

    /// The number of contexts ever made. While it is zero, no task-local has to be read.
    private static let made = SharedCounter()

    private let running: Locked<Creation?>
    /// The context of the creation around this one, which was in flight when this one began. So the chain is as long as creations
    /// are nested, even if tasks that outlive their creation keep beginning others.
    private let outer: CreationContext?

    init(_ creation: Creation) {
        Self.made.increment()
        // While the watch count is raised, resolving a scoped service reads the task-local, to refuse captive dependencies.
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
    static var nearest: CreationContext? {
        if made.value == 0 { return nil }
        var context = current
        while let candidate = context {
            if candidate.running.withLock({ $0 != nil }) { return candidate }
            context = candidate.outer
        }
        return nil
    }
}
