/// One creation that other callers may have to wait for, or that suspends.
///
/// Immutable, but for what the lock of `WaitForGraph` guards, and what the subclass has under a lock.
@usableFromInline
// Unchecked, because of the variables. Sound, because of those locks.
class Creation: @unchecked Sendable {
    /// The creation inside which this one began.
    final let outer: Creation?
    final let identity: ServiceIdentity
    /// The transient services that are being created between `outer` and this one, outermost first.
    private let between: [ServiceIdentity]
    /// How many services are being created from the outermost one down to this one, both counted.
    final let depth: Int
    /// Who owns the instance.
    final let ownership: Ownership
    /// The container of a factory that suspends. A factory that does not suspend has it in its frame.
    final let container: DependencyContainer?
    /// Whether a task runs the factory, which may suspend. If not, a thread does, in a frame.
    final let isSuspending: Bool
    /// The instances of the object graph. A creation that suspends has them; the others leave them to the outermost frame.
    final let graph: ObjectGraph?
    /// The waits of this creation. Guarded by the lock of `WaitForGraph`, as the next property.
    final var waits: [ObjectIdentifier: WaitEdge] = [:]
    /// The creations inside this one that wait for something, or have such creations inside them.
    final var waitingInside: [ObjectIdentifier: Creation] = [:]

    /// Who owns an instance that is being created.
    enum Ownership: Sendable {
        /// The caller of `resolve`: transient services, and those of an object graph.
        case caller
        /// The container that was asked: scoped services.
        case container
        /// The registration, for all callers: singletons, and cached, weak and keyed services.
        case registration
    }

    init(
        _ identity: ServiceIdentity, ownership: Ownership, suspendingFor container: DependencyContainer? = nil,
        graph: ObjectGraph?
    ) {
        let (outer, between) = Creation.surroundings
        self.outer = outer
        self.identity = identity
        self.between = between
        depth = (outer?.depth ?? 0) + between.count + 1
        self.ownership = ownership
        self.container = container
        isSuspending = container != nil
        self.graph = graph
    }

    /// The services that are being created from the outermost one down to this one, which is the last.
    final var trail: [ServiceIdentity] {
        // Collected from the inside, since a creation knows only the one around it.
        var reversed: [ServiceIdentity] = []
        var next: Creation? = self
        while let creation = next {
            reversed.append(creation.identity)
            reversed.append(contentsOf: creation.between.reversed())
            next = creation.outer
        }
        return reversed.reversed()
    }

    /// Whether this creation goes on inside another one, or is that one.
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
    final func path(to inner: Creation) -> [ServiceIdentity] { Array(inner.trail.dropFirst(depth - 1)) }
}

// MARK: - Creations around the running code

extension Creation {
    /// The innermost creation around this code; nil outside of all creation.
    static var innermost: Creation? { ResolutionStack.creation ?? CreationContext.creation }

    /// That creation, and the transient services that are being created inside it, outermost first.
    private static var surroundings: (creation: Creation?, between: [ServiceIdentity]) {
        let (creation, between) = ResolutionStack.surroundings
        return (creation ?? CreationContext.creation, between)
    }

    /// The services that are being created around this code, outermost first.
    static var currentTrail: [ServiceIdentity] {
        let (creation, between) = surroundings
        return (creation?.trail ?? []) + between
    }

    /// Ends all creations that cannot go on when this code never returns, innermost first.
    static func abandonAll(_ error: DependencyError) {
        for creation in ResolutionStack.creations { _ = creation.abandon(error) }
        // A creation that others may wait for has a task of its own; all others go on in the task of the one around them. A
        // thread that creates something around a task goes on by itself.
        var creation = CreationContext.creation
        while let current = creation, current.isSuspending, !current.abandon(error) { creation = current.outer }
    }
}
