/// The creation that a task runs, for as long as it goes on.
///
/// The task-local is inherited by every task that the factory starts, and such a task may outlive the creation by far. So it
/// holds this object, which lets go of the creation when that ends: a task is inside a creation only while that goes on
/// (invariant J5), and keeps nothing of it alive afterwards.
final class CreationContext: Sendable {
    /// Bound by this library only, around factories that suspend.
    @TaskLocal
    static var current: CreationContext?

    /// Counts the contexts ever made. While there is none, no task-local has to be read.
    private static let made = SharedCounter()

    private let running: Locked<Creation?>
    /// The context of the creation around this one. It went on when this one began, so the chain is no longer than creations
    /// are nested, however often a task that outlives its creation begins another one.
    private let outer: CreationContext?

    init(_ creation: Creation) {
        Self.made.increment()
        // While the counter is raised, resolving a scoped service reads the task-local to refuse captive dependencies.
        beginWatching()
        running = Locked(creation)
        outer = CreationContext.nearest
    }

    /// The creation has returned, thrown or been abandoned.
    func end() {
        let ended = running.withLock { $0.take() }
        if ended != nil { endWatching() }
        // Not under the lock: the graph of the creation may hold the last references to services.
        withExtendedLifetime(ended) {}
    }

    /// The creation of this task: the innermost one that still goes on.
    static var creation: Creation? { nearest?.running.withLock { $0 } }

    /// The context of that creation.
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
