/// The creation of a shared instance: one thread or task runs the factory, all other callers meanwhile wait for its outcome.
///
/// It does not know the type of the service, so that all services share one code; its caller, which does, takes the instance
/// out of a `Box`. Only the variables change, under the lock of the single flight.
@usableFromInline
// Unchecked, because of the variables. Sound, because of the lock.
final class InFlightCreation: Creation, @unchecked Sendable {
    enum Outcome {
        /// A `Box` of the instance.
        case instance(AnyObject)
        case failure(DependencyError)
        /// Nobody waits for it, and nobody ever will.
        case nobodyJoined
    }

    /// How it ended; nil while it goes on.
    var outcome: Outcome?
    /// Whether its instance is being stored: from then on only its own code ends it (invariant 6 of `SharedInstance`).
    var isClaimed = false
    /// How many callers have joined it, and so are going to read its outcome.
    var joined: Int
    /// The joined callers that sleep or are suspended until the end.
    var waiters = WaiterList()
    /// A `Box` of the instance that is being completed: callers inside the creation get it.
    var incomplete: AnyObject?
    /// The generation of the storage when the creation began.
    let generation: UInt32
    /// The disposals of instances that are not stored, or not any more. Only the code that runs the creation uses it.
    private var leftovers: [Disposal] = []
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

    /// Puts a disposal off until the creation has ended.
    func disposeLater(_ disposal: Disposal) { leftovers.append(disposal) }

    /// Runs the disposals that were put off.
    func disposeOfLeftovers() {
        let disposals = leftovers
        leftovers = []
        for disposal in disposals { disposal.run() }
    }

    override func abandon(_ error: DependencyError) -> Bool {
        singleFlight.abandon(self, error)
        return true
    }
}
