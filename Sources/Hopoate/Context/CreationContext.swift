// The services that the running code is creating.
//
// A thread has them in the frames of its stack (ResolutionStack.swift), a task in its task-local (`TaskContext`). Code that asks for
// them reads the frames first, and then the task-local: the task runs around the frames of its thread.

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

extension Creation.Surroundings {
    /// The creations around this code.
    @inline(__always)
    static var current: Self { Self(outsideInnermostFrame: false) }

    /// The creations around the service of the innermost frame.
    static var ofInnermostFrame: Self { Self(outsideInnermostFrame: true) }

    @inline(__always)
    private init(outsideInnermostFrame: Bool) {
        self =
            innermostFrame == nil
            ? Self() : ResolutionStack.surroundings(outsideInnermostFrame: outsideInnermostFrame)
        if creation == nil { creation = CreationContext.creation }
    }
}

extension Creation {
    /// The innermost creation around this code; nil if no factory is running.
    static var innermost: Creation? { ResolutionStack.creation ?? CreationContext.creation }

    /// The services that are being created around this code, outermost first.
    static var currentTrail: [ServiceIdentity] {
        let surroundings = Surroundings.current
        return (surroundings.creation?.trail ?? []) + surroundings.between.fromInnermost.reversed()
    }

    /// Ends all creations that cannot finish if this code never returns, innermost first.
    static func abandonAll(_ error: DependencyError) {
        for creation in ResolutionStack.creations {
            _ = creation.abandon(error)
            creation.group?.fail(error)
        }
        // A creation that others may wait for runs in a task of its own, so the walk ends there. Every other one runs in the task
        // of the creation around it, which cannot finish either. A creation that a thread runs around this task is not affected.
        var creation = CreationContext.creation
        while let current = creation, current.isSuspending, !current.abandon(error) { creation = current.outer }
    }
}

extension CompletionGroup {
    /// The group around this code; nil if there is none.
    static var current: CompletionGroup? { ResolutionStack.outermostCreation?.group }
}

extension ObjectGraph {
    /// The object graph of the region around this code, or a new one.
    static var currentOrNew: ObjectGraph { current ?? ObjectGraph() }

    /// The object graph of the region around this code; nil if no factory is running.
    static var current: ObjectGraph? {
        guard let first = ResolutionStack.firstOfRegion else { return CreationContext.creation?.graph }
        if let graph = first.pointee.graph { return graph }
        let outer = first.pointee.beginsRegion ? nil : CreationContext.creation?.graph
        let graph = outer ?? first.pointee.creation?.graph ?? ObjectGraph()
        first.pointee.graph = graph
        return graph
    }
}
