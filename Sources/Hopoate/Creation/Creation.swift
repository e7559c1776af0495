/// One creation that other callers may have to wait for, or that suspends.
///
/// Immutable, but for what the lock of `WaitGraph` guards, and what the subclass has under a lock.
@usableFromInline
// Unchecked, because of the variables. Sound, because of those locks.
class Creation: @unchecked Sendable {
    /// The creation in the course of which this one began.
    final let outer: Creation?
    final let subject: Subject
    /// The transient services that are being created between `outer` and this one, outermost first.
    private let between: [Subject]
    /// How many services are being created down to this one, which is counted.
    final let depth: Int
    /// Who keeps the instance.
    final let keeping: Keeping
    /// The container that the factory is run for, if it suspends. A factory that does not has it in its frame.
    final let container: DependencyContainer?
    /// Whether a task runs the factory, which may suspend. If not, a thread does, in a frame.
    final let isSuspending: Bool
    /// The instances of the object graph, as far as the creation has to know them: one that suspends always does, all others
    /// leave it to the outermost frame.
    final let graph: Graph?
    /// What this creation waits for. Guarded by the lock of `WaitGraph`, as the next one.
    final var waits: [ObjectIdentifier: WaitEdge] = [:]
    /// The creations that began in the course of this one, and wait for something, or have such creations inside of them.
    final var waitingInside: [ObjectIdentifier: Creation] = [:]

    /// Who keeps an instance that is being created.
    enum Keeping: Sendable {
        /// The caller of `resolve`: transient services, and those of an object graph.
        case caller
        /// The container that was asked: scoped services.
        case container
        /// The registration, for all callers: singletons, and cached, weak and keyed services.
        case registration
    }

    init(_ subject: Subject, keeping: Keeping, suspendingFor container: DependencyContainer? = nil, graph: Graph?) {
        let (outer, between) = Creation.surroundings
        self.outer = outer
        self.subject = subject
        self.between = between
        depth = (outer?.depth ?? 0) + between.count + 1
        self.keeping = keeping
        self.container = container
        isSuspending = container != nil
        self.graph = graph
    }

    /// The services that are being created from the outermost one down to this one, which is the last.
    final var trail: [Subject] {
        // Collected from the inside, since a creation knows only the one around it.
        var reversed: [Subject] = []
        var next: Creation? = self
        while let creation = next {
            reversed.append(creation.subject)
            reversed.append(contentsOf: creation.between.reversed())
            next = creation.outer
        }
        return reversed.reversed()
    }

    /// Whether this creation goes on in the course of another one, or is that one.
    final func isInside(_ other: Creation) -> Bool {
        var creation: Creation? = self
        while let current = creation, current.depth > other.depth { creation = current.outer }
        return creation === other
    }

    /// Ends the creation because the code that runs it never will. Waiters get the error.
    ///
    /// - Returns: Whether others may wait for it.
    func abandon(_ error: DependencyError) -> Bool { false }

    /// The services from this creation down to another one inside it.
    final func path(to inner: Creation) -> [Subject] { Array(inner.trail.dropFirst(depth - 1)) }
}

// MARK: - What goes on around the running code

extension Creation {
    /// The innermost creation around this code; nil outside of all creation.
    static var innermost: Creation? { Frame.creation ?? CreationContext.creation }

    /// That creation, and the transient services that are being created inside it, outermost first.
    private static var surroundings: (creation: Creation?, between: [Subject]) {
        let (creation, between) = Frame.surroundings
        return (creation ?? CreationContext.creation, between)
    }

    /// The services that are being created around this code, outermost first.
    static var currentTrail: [Subject] {
        let (creation, between) = surroundings
        return (creation?.trail ?? []) + between
    }

    /// Ends all creations that cannot go on when this code never returns, innermost first.
    static func abandonAll(_ error: DependencyError) {
        for creation in Frame.creations() { _ = creation.abandon(error) }
        // A creation that others may wait for has a task of its own; all others go on in the task of the one around them. A
        // thread that creates something around a task goes on by itself.
        var creation = CreationContext.creation
        while let current = creation, current.isSuspending, !current.abandon(error) { creation = current.outer }
    }
}

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
