/// The creation of a shared instance: one thread or task runs the factory, and all other callers wait for its outcome.
///
/// It does not know the type of the service, so all services share this code. The instance is in a `Box`, from which the typed
/// caller takes it. The variables are guarded by the lock of the single flight, except for `leftovers`.
// Unchecked, because it has variables. Sound, because the lock guards them, and only one thread or task uses `leftovers`.
final class InFlightCreation: Creation, @unchecked Sendable {
    enum Outcome {
        /// A `Box` of the instance.
        case instance(AnyObject)
        case failure(DependencyError)
    }

    /// Whether the creation has ended.
    private(set) var hasEnded = false
    /// See `outcome`. In a box, because to destroy an enumeration in a property, the compiler retains the object.
    private var boxedOutcome: Box<Outcome>?
    /// Whether the instance is about to be stored. A claimed creation cannot be abandoned (invariant 6 of `SharedInstance`).
    var isClaimed = false
    /// The number of callers that have joined, and so will read the outcome.
    var joined: Int
    /// The joined callers that are blocked or suspended until the end.
    var waiters = WaiterList()
    /// A `Box` of the instance while it is pending, see CompletionGroup.swift.
    var pending: AnyObject?
    /// The generation of the storage when the creation began (invariant 5 of `SharedInstance`).
    let generation: UInt32
    /// Disposes of instances that are not stored, or no longer. Used only by the code that runs the creation.
    private var leftovers: [() -> Void] = []
    private let singleFlight: SingleFlight

    init(
        _ identity: ServiceIdentity, ownership: Ownership, suspendingFor container: DependencyContainer? = nil,
        in singleFlight: SingleFlight, graph: ObjectGraph?, generation: UInt32, joined: Int
    ) {
        self.singleFlight = singleFlight
        self.generation = generation
        self.joined = joined
        super.init(identity, ownership: ownership, suspendingFor: container, graph: graph)
    }

    /// How the creation ended. Nil while it is in flight, and if no caller waits for the outcome, and none ever will (invariant 7 of
    /// `SharedInstance`).
    var outcome: Outcome? { boxedOutcome?.value }

    /// Records that the creation has ended.
    ///
    /// - Parameter outcome: Nil if nobody will ask for it.
    func markAsEnded(_ outcome: Outcome?) {
        hasEnded = true
        boxedOutcome = outcome.map(Box.init)
    }

    /// Defers a disposal until the creation has ended (invariant 8 of `SharedInstance`).
    func disposeLater(_ disposal: Disposal, in state: ContainerState) { runLater { disposal.run(in: state) } }

    /// Defers the end of instances until the creation has ended (invariant 8 of `SharedInstance`).
    func runLater(_ end: @escaping () -> Void) { leftovers.append(end) }

    /// Whether the creation has ended with an instance.
    var isHandedOut: Bool { singleFlight.hasEndedWithInstance(self) }

    /// Runs the deferred disposals.
    override func disposeOfLeftovers() {
        let ends = leftovers
        leftovers = []
        for end in ends { end() }
    }

    override var isInFlight: Bool { true }

    override func abandon(_ error: DependencyError) -> Bool {
        singleFlight.abandon(self, error)
        return true
    }
}

extension CreationPlace {
    /// The length of the longest list of surroundings.
    private static var most: Int { 16 }

    init(_ creation: InFlightCreation) {
        var surroundings: [Surrounding] = []
        var next = creation.outer
        while let outer = next, surroundings.count < Self.most {
            if outer.isInFlight {
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
