/// A creation that suspends, or that other callers may have to wait for.
///
/// Immutable, except for three properties under the lock of `WaitForGraph`, the group, two properties for its completion, and those that
/// the subclass guards by its own lock.
@usableFromInline
// Unchecked, because it has variables. Sound, because the locks named above guard them. For the group see CompletionGroup.swift.
class Creation: @unchecked Sendable {
    /// The creation around this one; nil if this is the outermost one.
    final let outer: Creation?
    final let identity: ServiceIdentity
    /// The transient services that are being created between `outer` and this one.
    private let between: Between
    /// The number of services that are being created, from the outermost one down to and including this one.
    final let depth: Int
    /// The owner of the instance.
    final let ownership: Ownership
    /// The container of a factory that suspends; nil for one that does not, whose container is in its frame.
    final let container: DependencyContainer?
    /// Whether a task runs the factory, which may suspend. Otherwise a thread runs it, in a frame.
    final let isSuspending: Bool
    /// Whether the service keeps the instances that are resolved in this creation. Otherwise they are for the caller of a provider.
    final let keepsInstances: Bool
    /// Whether a region of object graphs begins with this creation. By default, a region begins if the registration owns the instance; none
    /// begins in the call of a provider.
    final let beginsRegion: Bool
    /// The instances of the object graph, for a creation that suspends. Otherwise they are in the first frame of the region, and this may
    /// be nil.
    final let graph: ObjectGraph?
    /// The waits of this creation and of those inside it; nil before the first one. Under the lock of `WaitForGraph`.
    // Optional, because few creations ever wait.
    final var waits: WaitForGraph.Waits?
    /// Whether the instance exists and can be borrowed, so that no creation waits for this one. Under the lock of `WaitForGraph`.
    final var hasInstance = false
    /// The group that the instance belongs to while it is pending. For an outermost creation, also before.
    final var group: CompletionGroup?
    /// The context of the factory, for its completion and for the services that it creates; nil for that of the caller, and if not
    /// recorded. Used only by the code that runs the creation.
    final var ownerContext: OwnerContext?
    /// Whether an instrument observes the service, so that its factory and its handles keep the task-locals of their callers. Set before the
    /// factory runs.
    final var isObserved = false
    /// The observers that hear of this creation; nil if there are none. Set by `noteBegin`, before the factory runs.
    final var observers: [any CreationObserver]?
    /// The owning service around the factory, if the instance belongs to its caller and has a completion. The completion runs when the
    /// frame of that service has ended. Used only by the code that runs the creation.
    final var owningService: OwningService?

    init(
        _ identity: ServiceIdentity, ownership: Ownership, suspendingFor container: DependencyContainer? = nil,
        graph: ObjectGraph?, keepsInstances: Bool = true, beginsRegion: Bool? = nil, hasFrame: Bool = false
    ) {
        let (outer, between) = Creation.surroundings(hasFrame: hasFrame)
        self.outer = outer
        self.identity = identity
        self.between = between
        depth = (outer?.depth ?? 0) + between.count + 1
        self.ownership = ownership
        self.container = container
        isSuspending = container != nil
        self.keepsInstances = keepsInstances
        self.beginsRegion = keepsInstances && (beginsRegion ?? ownership.isRegistration)
        self.graph = graph
    }

    // Otherwise the compiler calls this from the end of a subclass, and retains the object once more after the call.
    @inline(__always)
    deinit {}

    /// Makes the creation of an instance that is not shared, inside its frame. Its completion runs later.
    convenience init(ofInnermostFrame identity: ServiceIdentity) {
        self.init(identity, ownership: .caller, graph: nil, hasFrame: true)
    }

    /// The services that are being created, from the outermost one down to and including this one.
    final var trail: [ServiceIdentity] {
        // From the inside out, because a creation only knows the one around it.
        var reversed: [ServiceIdentity] = []
        var next: Creation? = self
        while let creation = next {
            reversed.append(creation.identity)
            reversed.append(contentsOf: creation.between.fromInnermost)
            next = creation.outer
        }
        return reversed.reversed()
    }

    /// The number of instances of this service that its completions have created, one for the other, down to and including this one. For
    /// an instance that is not shared and has a completion.
    ///
    /// Its factories do not count: decorators and recursive factories end by themselves, or at a greater depth.
    final var completionsOfOwnService: Int {
        var count = 0
        var next: Creation? = self
        while let creation = next {
            let isCompletion = creation.ownership == .caller && !creation.isSuspending && !creation.isInFlight
            if isCompletion, creation.identity == identity { count += 1 }
            next = creation.outer
        }
        return count
    }

    /// Returns whether this creation runs inside another one, or is the same one.
    final func isInside(_ other: Creation) -> Bool {
        var creation: Creation? = self
        while let current = creation, current.depth > other.depth { creation = current.outer }
        return creation === other
    }

    /// Ends the creation with an error, because the code that runs it never will.
    ///
    /// - Returns: Whether other callers may be waiting for it.
    func abandon(_ error: DependencyError) -> Bool { false }

    /// Whether it creates an instance. Otherwise it stands for a service that exists already.
    var isInFlight: Bool { false }

    /// Runs the deferred disposals, after the end of the creation.
    func disposeOfLeftovers() {}

    /// Returns the services from this creation down to a creation inside it.
    final func path(to inner: Creation) -> [ServiceIdentity] { Array(inner.trail.dropFirst(depth - 1)) }
}

// MARK: - Creations around the running code

extension Creation {
    /// The innermost creation around this code; nil if no factory is running.
    static var innermost: Creation? { ResolutionStack.creation ?? CreationContext.creation }

    /// Returns the innermost creation, and the transient services that are being created inside it.
    ///
    /// - Parameter hasFrame: Whether the innermost frame is that of the caller. Then its service is not among them.
    private static func surroundings(hasFrame: Bool = false) -> (creation: Creation?, between: Between) {
        let (creation, between) = ResolutionStack.surroundings(hasFrame: hasFrame)
        return (creation ?? CreationContext.creation, between)
    }

    /// The services that are being created around this code, outermost first.
    static var currentTrail: [ServiceIdentity] {
        let (creation, between) = surroundings()
        return (creation?.trail ?? []) + between.fromInnermost.reversed()
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

extension Creation {
    /// Services that are being created, each inside the next one.
    ///
    /// Usually there is one at most, for which this needs no array.
    struct Between {
        private var innermost: ServiceIdentity?
        private var others: [ServiceIdentity] = []

        /// Adds the service around the others.
        mutating func append(_ identity: ServiceIdentity) {
            if innermost == nil { innermost = identity } else { others.append(identity) }
        }

        var count: Int { innermost == nil ? 0 : 1 + others.count }

        var fromInnermost: [ServiceIdentity] { innermost.map { [$0] + others } ?? [] }
    }
}
