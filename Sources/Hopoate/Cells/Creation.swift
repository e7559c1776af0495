/// The creation of an instance, from before its factory runs until all callers have the outcome.
///
/// Every creation of a shared instance is one: a thread or a task runs the factory, and all other callers wait for the outcome in a
/// ``Cell``. A transient service also has a creation if its factory suspends or if it has a completion. Other transient services have
/// only a frame. While a handle resolves for a service that exists already, a creation stands for that service.
///
/// It does not know the type of the service, so all services share this code. The instance is in an `AnyBox`, from which the typed caller
/// takes it.
///
/// Who uses the variables:
///
///   `waits`, `hasInstance`                             under the lock of `WaitForGraph`
///   `group`                                            see CompletionGroup.swift
///   `hasEnded`, `outcome`, `isClaimed`, `joined`,
///   `waiters`, `pending`                               under the lock of the cell
///   `ownerContext`, `isObserved`, `observers`,
///   `owningService`                                    only the code that runs the creation; the second and the third one are written before
///                                                      the factory runs, and read by others afterwards
///   `leftovers`                                        the code that runs the creation; if the instance is pending, the code that ends its
///                                                      group, or disposes of it (invariant 6 in CompletionGroup.swift)
@usableFromInline
// Unchecked, because it has variables. Sound, because each is used under a lock or by one thread or task, see above.
final class Creation: @unchecked Sendable {
    enum Outcome {
        case instance(AnyBox)
        case failure(DependencyError)
    }

    // As one property: for one of the type `Creation?`, the compiler ends a chain in a loop, which retains.
    private let surroundings: Surroundings
    let identity: ServiceIdentity
    /// The number of services that are being created, from the outermost one down to and including this one.
    let depth: Int
    /// The owner of the instance.
    let ownership: Ownership
    /// The container, if the factory suspends; otherwise nil, because the frame of the factory has the container.
    let container: DependencyContainer?
    /// Whether the service keeps the instances that are resolved in this creation. Otherwise they are for the caller of a provider.
    let keepsInstances: Bool
    /// Whether a region of object graphs begins with this creation. By default, a region begins if the registration owns the instance; none
    /// begins in the call of a provider.
    let beginsRegion: Bool
    /// The instances of the object graph, for a creation that suspends. Otherwise they are in the first frame of the region, and this may
    /// be nil.
    let graph: ObjectGraph?
    /// Where other callers wait for the instance; nil if it is not shared, and for a service that exists already.
    private let cell: Cell?
    /// The generation of the storage when the creation began (invariant 5 of `Cell`).
    let generation: UInt32

    /// The waits of this creation and of those inside it; nil before the first one.
    // Optional, because few creations ever wait.
    var waits: WaitForGraph.Waits?
    /// Whether the instance exists and can be borrowed, so that no creation waits for this one.
    var hasInstance = false
    /// The group that the instance belongs to while it is pending. For an outermost creation, also before.
    var group: CompletionGroup?

    /// Whether the creation has ended.
    private(set) var hasEnded = false
    /// Whether the instance is about to be stored. A claimed creation cannot be abandoned (invariant 6 of `Cell`).
    var isClaimed = false
    /// The number of callers that have joined, and so will read the outcome.
    var joined: Int
    /// See `outcome`. In a box, because to destroy an enumeration in a property, the compiler retains the object.
    private var boxedOutcome: Box<Outcome>?
    /// The joined callers that are blocked or suspended until the end.
    var waiters = WaiterList()
    /// The instance while it is pending, see CompletionGroup.swift.
    var pending: AnyBox?

    /// The context of the factory, for its completion and for the services that it creates; nil for that of the caller, and if not
    /// recorded.
    var ownerContext: OwnerContext?
    /// Whether an instrument observes the service, so that its factory and its handles keep the task-locals of their callers.
    var isObserved = false
    /// The observers that hear of this creation; nil if there are none. Set by `noteBegin`.
    var observers: [any CreationObserver]?
    /// The owning service around the factory, if the instance belongs to its caller and has a completion. The completion runs when the
    /// frame of that service has ended.
    var owningService: OwningService?
    /// Disposes of instances that are not stored, or no longer.
    // Optional, because the end of an empty array costs more than the test for nil.
    private var leftovers: [() -> Void]?

    /// - Parameters:
    ///   - surroundings: The creations around the caller.
    ///   - cell: Where other callers wait; nil if the instance is not shared.
    ///   - joined: The number of callers that will read the outcome.
    init(
        _ identity: ServiceIdentity, ownership: Ownership, inside surroundings: Surroundings,
        suspendingFor container: DependencyContainer? = nil, in cell: Cell? = nil, graph: ObjectGraph?,
        generation: UInt32 = 0, joined: Int = 0, keepsInstances: Bool = true, beginsRegion: Bool? = nil
    ) {
        depth = (surroundings.creation?.depth ?? 0) + surroundings.between.count + 1
        self.surroundings = surroundings
        self.identity = identity
        self.ownership = ownership
        self.container = container
        self.keepsInstances = keepsInstances
        self.beginsRegion = keepsInstances && (beginsRegion ?? ownership.isRegistration)
        self.graph = graph
        self.cell = cell
        self.generation = generation
        self.joined = joined
    }

    /// The creation around this one; nil if this is the outermost one.
    var outer: Creation? { surroundings.creation }

    /// Whether a task runs the factory, which may suspend. Otherwise a thread runs it, in a frame.
    var isSuspending: Bool { container != nil }

    /// Whether it creates an instance that other callers may have to wait for.
    var isShared: Bool { cell != nil }
}

// MARK: - The chain

extension Creation {
    /// The innermost creation around some code, and the transient services that are being created inside it.
    struct Surroundings {
        var creation: Creation?
        var between = Between()
    }

    /// Services that are being created, each inside the next one.
    ///
    /// Usually there is one at most, for which this needs no array.
    struct Between {
        private var innermost: ServiceIdentity?
        // Optional for the same reason as `leftovers`.
        private var others: [ServiceIdentity]?

        /// Adds the service around the others.
        mutating func append(_ identity: ServiceIdentity) {
            guard innermost != nil else { return innermost = identity }
            if others?.append(identity) == nil { others = [identity] }
        }

        var count: Int { innermost == nil ? 0 : 1 + (others?.count ?? 0) }

        var fromInnermost: [ServiceIdentity] { innermost.map { [$0] + (others ?? []) } ?? [] }
    }

    /// The services that are being created, from the outermost one down to and including this one.
    var trail: [ServiceIdentity] {
        // From the inside out, because a creation only knows the one around it.
        var reversed: [ServiceIdentity] = []
        var next: Creation? = self
        while let creation = next {
            reversed.append(creation.identity)
            reversed.append(contentsOf: creation.surroundings.between.fromInnermost)
            next = creation.outer
        }
        return reversed.reversed()
    }

    /// The number of instances of this service that its completions have created, one for the other, down to and including this one. For
    /// an instance that is not shared and has a completion.
    ///
    /// Its factories do not count: decorators and recursive factories end by themselves, or at a greater depth.
    var completionsOfOwnService: Int {
        var count = 0
        var next: Creation? = self
        while let creation = next {
            let isCompletion = creation.ownership == .caller && !creation.isSuspending && !creation.isShared
            if isCompletion, creation.identity == identity { count += 1 }
            next = creation.outer
        }
        return count
    }

    /// Returns whether this creation runs inside another one, or is the same one.
    func isInside(_ other: Creation) -> Bool {
        var creation: Creation? = self
        while let current = creation, current.depth > other.depth { creation = current.outer }
        return creation === other
    }

    /// Returns the services from this creation down to a creation inside it.
    func path(to inner: Creation) -> [ServiceIdentity] { Array(inner.trail.dropFirst(depth - 1)) }
}

// MARK: - The end

extension Creation {
    /// How the creation ended. Nil while it is in flight, and if no caller waits for the outcome, and none ever will (invariant 7 of
    /// `Cell`).
    var outcome: Outcome? { boxedOutcome?.value }

    /// Whether the creation has ended with an instance.
    var isHandedOut: Bool { cell?.hasEndedWithInstance(self) ?? false }

    /// Records that the creation has ended. Called by the cell.
    ///
    /// - Parameter outcome: Nil if nobody will ask for it.
    func markAsEnded(_ outcome: Outcome?) {
        hasEnded = true
        boxedOutcome = outcome.map(Box.init)
    }

    /// Ends the creation with an error, because the code that runs it never will.
    ///
    /// - Returns: Whether other callers may be waiting for it.
    func abandon(_ error: DependencyError) -> Bool {
        cell?.abandon(self, error)
        return isShared
    }

    /// Defers a disposal until the creation has ended (invariant 8 of `Cell`).
    func disposeLater(_ disposal: Disposal, in state: ContainerState) { runLater { disposal.run(in: state) } }

    /// Defers the end of instances until the creation has ended (invariant 8 of `Cell`).
    func runLater(_ end: @escaping () -> Void) {
        if leftovers?.append(end) == nil { leftovers = [end] }
    }

    /// Runs the deferred disposals, after the end of the creation.
    func disposeOfLeftovers() {
        guard let ends = leftovers.take() else { return }
        for end in ends { end() }
    }
}

extension CreationPlace {
    /// The length of the longest list of surroundings.
    private static var most: Int { 16 }

    init(_ creation: Creation) {
        var surroundings: [Surrounding] = []
        var next = creation.outer
        while let outer = next, surroundings.count < Self.most {
            if outer.isShared {
                surroundings.append(.creation(Self.address(of: outer)))
            } else if outer.ownership != .caller {
                // See `OwningService.run`.
                surroundings.append(.handle(outer.identity))
            }
            next = outer.outer
        }
        self.init(address: Self.address(of: creation), surroundings: surroundings)
    }

    private static func address(of creation: Creation) -> UInt { UInt(bitPattern: ObjectIdentifier(creation)) }
}
