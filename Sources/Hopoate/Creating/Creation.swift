/// One creation that others may have to wait for, or that suspends.
///
/// Immutable, but for what the subclass has under a lock.
@usableFromInline
// Unchecked for the subclass, which says why it is sound.
class Creation: @unchecked Sendable {
    /// The creation in whose course this one was asked for.
    final let outer: Creation?
    final let subject: Subject
    /// What was being created around it, outermost first.
    private let outerTrail: [Subject]
    /// The instances that the whole request shares, as far as the creation has to know: one that suspends always does, all others
    /// leave it to the outermost frame.
    final let graph: Graph?

    init(_ subject: Subject, graph: Graph?) {
        outer = Creation.innermost
        self.subject = subject
        outerTrail = Creation.currentTrail
        self.graph = graph
    }

    /// What was being created from the outermost request down to this one, which is the last.
    final var trail: [Subject] { outerTrail + [subject] }

    /// Whether this creation is going on in the course of another one, or is that.
    final func isInside(_ other: Creation) -> Bool {
        var creation: Creation? = self
        while let current = creation {
            if current === other { return true }
            creation = current.outer
        }
        return false
    }

    /// Ends it because what runs it never will. Those who wait get the error.
    ///
    /// - Returns: Whether others may wait for it.
    func abandon(_ error: DependencyError) -> Bool { false }

    /// What was asked for in the course of this creation, given that of another one inside.
    final func path(to inner: Creation) -> [Subject] { Array(inner.trail.dropFirst(trail.count - 1)) }
}

extension Creation {
    /// The creation of the current task that suspends. Bound by us only, around creators that are asynchronous.
    @TaskLocal
    static var ofTask: Creation?

    /// In whose course this code runs.
    static var innermost: Creation? { Frame.creation ?? ofTask }

    /// What is being created around this code, outermost first.
    static var currentTrail: [Subject] {
        let inner = Frame.subjects()
        guard let ofTask else { return inner }
        return ofTask.trail + inner
    }

    /// Ends all creations that cannot go on when this code never returns, innermost first.
    static func abandonAll(_ error: DependencyError) {
        for creation in Frame.creations() { _ = creation.abandon(error) }
        // What others may wait for has a task of its own; what they may not goes on in the task of the one around it.
        var creation = ofTask
        while let current = creation, !current.abandon(error) { creation = current.outer }
    }
}

/// The instances of one graph: what is shared in the course of one outermost request.
///
/// The outermost frame holds it, or the creation of a task, and lets go of it at its end.
@usableFromInline
final class Graph: Sendable {
    /// `Holder`s of slots, by recipe.
    private let slots = Locked<[ObjectIdentifier: AnyObject]>([:])

    /// The graph of what this code does: the one that it runs in the course of, or a new one.
    static var currentOrNew: Graph { current ?? Graph() }

    /// The graph that this code runs in the course of; nil outside of all creation.
    static var current: Graph? {
        guard let outermost = Frame.outermost else { return Creation.ofTask?.graph }
        if let graph = outermost.pointee.graph { return graph }
        let graph = Creation.ofTask?.graph ?? outermost.pointee.creation?.graph ?? Graph()
        outermost.pointee.graph = graph
        return graph
    }

    /// Where the instance of a recipe is, in this graph.
    func slot<Service>(of recipe: AnyRecipe, make: () -> Slot<Service>) -> Slot<Service> {
        let found = slots.withLock { $0[ObjectIdentifier(recipe)] }
        let new = found ?? Holder(make())
        let slot = slots.withLock { slots in
            if let slot = slots[ObjectIdentifier(recipe)] { return slot }
            slots[ObjectIdentifier(recipe)] = new
            return new
        }
        // A recipe makes one type of service.
        return unsafeDowncast(slot, to: Holder<Slot<Service>>.self).value
    }
}
