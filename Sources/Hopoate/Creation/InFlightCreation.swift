/// The creation of a shared instance: one thread or task runs the factory, all others who ask meanwhile wait for its outcome.
///
/// It does not know the type of the service, so that all services share one code; its caller, which does, takes the instance
/// out of a `Holder`. Only the variables change, under the lock of the gate that it left from.
@usableFromInline
// Unchecked, because of the variables. Sound, because of the lock.
final class Flight: Creation, @unchecked Sendable {
    enum Outcome {
        /// A `Holder` of the instance.
        case instance(AnyObject)
        case failure(DependencyError)
        /// Nobody waits for it, and nobody ever will.
        case unheard
    }

    /// How it ended; nil while it goes on.
    var outcome: Outcome?
    /// Whether its instance is being stored: from then on nothing but its own code ends it (invariant 6 of `Slot`).
    var isClaimed = false
    /// How many have joined it, and so are going to look at its outcome.
    var followers: Int
    /// Those that sleep or are suspended until the end.
    var waiters = WaiterList()
    /// A `Holder` of the instance that is made but not yet complete: those who ask in the course of completing it get it.
    var pending: AnyObject?
    /// The generation of the storage when the flight began.
    let generation: UInt32
    /// The disposals of instances that are not stored, or not any more. Only the code that runs the flight uses it.
    private var leftovers: [Disposal] = []
    /// Where it left from.
    private let gate: Gate

    init(
        _ subject: Subject, keeping: Keeping, suspendingFor container: DependencyContainer? = nil, from gate: Gate,
        graph: Graph?, generation: UInt32, followers: Int
    ) {
        self.gate = gate
        self.generation = generation
        self.followers = followers
        super.init(subject, keeping: keeping, suspendingFor: container, graph: graph)
    }

    /// Puts a disposal off until the flight has ended.
    func leave(_ disposal: Disposal) { leftovers.append(disposal) }

    func disposeOfLeftovers() {
        let disposals = leftovers
        leftovers = []
        for disposal in disposals { disposal.run() }
    }

    override func abandon(_ error: DependencyError) -> Bool {
        gate.abandon(self, error)
        return true
    }
}

/// A value that is referred to.
// Unchecked, because a service need not be Sendable. Immutable.
final class Holder<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
