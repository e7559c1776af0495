/// Where flights leave from, one at a time: it knows the one that goes on, and lets others wait for it. What they are for is in
/// `Slot`.
///
/// The lock is in the same allocation, at an address that stays. Used from any thread: every use of the variable is under the
/// lock.
@usableFromInline
final class Gate: ManagedBuffer<Gate.Contents, UInt32> {
    @usableFromInline
    struct Contents {
        fileprivate var flight: Flight?
    }

    static func make() -> Gate {
        let gate = create(minimumCapacity: 1) { gate in
            gate.withUnsafeMutablePointerToElements { $0.initialize(to: 0) }
            return Contents()
        }
        // `create` makes an instance of the class that it is called on.
        return unsafeDowncast(gate, to: Gate.self)
    }

    /// Makes a gate that a flight is just leaving from, which is the caller's to end.
    @usableFromInline
    static func make(leaving type: UInt, _ discriminator: UInt) -> (gate: Gate, flight: Flight) {
        let gate = make()
        let subject = Subject(type: type, discriminator: discriminator)
        let flight = Flight(subject, keeping: .container, from: gate, graph: nil, generation: 0, followers: 0)
        gate.header.flight = flight
        return (gate, flight)
    }

    /// Runs a closure that runs no user code, while no other thread runs one. What it lets go of has to end after it.
    private func withLock<Output>(_ body: (inout Flight?) -> Output) -> Output {
        withUnsafeMutablePointers { contents, lock in
            acquireLock(lock)
            defer { releaseLock(lock) }
            return body(&contents.pointee.flight)
        }
    }

    /// The flight that goes on.
    var flight: Flight? { withLock { $0 } }

    /// The flight that goes on, joined, or a new one, which is the caller's to end.
    func board(_ make: () -> Flight) -> (flight: Flight, isNew: Bool) {
        func join(_ flight: Flight?) -> Flight? {
            flight?.followers += 1
            return flight
        }
        if let flight = withLock({ join($0) }) { return (flight, false) }
        let new = make()
        let other = withLock { flight in
            if flight == nil {
                flight = new
                return Flight?.none
            }
            return join(flight)
        }
        return (other ?? new, other == nil)
    }

    /// Ends a flight that nobody has joined. One that was abandoned has ended already.
    ///
    /// - Returns: Whether it has ended, so that nobody needs its instance.
    @usableFromInline
    func endUnheard(_ ended: Flight) -> Bool {
        withLock { flight in
            if ended.outcome != nil { return true }
            if ended.followers > 0 || ended.pending != nil { return false }
            ended.outcome = .unheard
            // Not the last reference: the caller has one.
            flight = nil
            return true
        }
    }

    /// Ends a flight with an error.
    @usableFromInline
    func end(_ flight: Flight, failure: DependencyError) { end(flight, .failure(failure)) }

    /// Ends a flight and wakes its waiters. One that was abandoned has ended already.
    func end(_ ended: Flight, _ outcome: Flight.Outcome) { end(ended, outcome) { _ in true } }

    /// Ends a flight whose code will never end it, unless its instance is being stored: then it ends by itself.
    func abandon(_ flight: Flight, _ error: DependencyError) { end(flight, .failure(error)) { !$0.isClaimed } }

    private func end(_ ended: Flight, _ outcome: Flight.Outcome, if condition: (Flight) -> Bool) {
        let (waiters, pending) = withLock { flight -> (WaiterList, AnyObject?) in
            guard ended.outcome == nil, condition(ended) else { return (WaiterList(), nil) }
            ended.outcome = outcome
            flight = nil
            defer {
                ended.waiters = WaiterList()
                ended.pending = nil
            }
            return (ended.waiters, ended.pending)
        }
        waiters.wakeAll()
        withExtendedLifetime(pending) {}
    }

    /// Says that the instance of a flight is about to be stored. From then on the flight cannot be abandoned.
    ///
    /// - Returns: The error with which it has been abandoned before; nil if it has not.
    func claim(_ flight: Flight) -> DependencyError? {
        withLock { _ in
            if case .failure(let error) = flight.outcome { return error }
            flight.isClaimed = true
            return nil
        }
    }

    /// What those get who ask for the instance while it is being completed.
    func pending(of flight: Flight) -> AnyObject? { withLock { _ in flight.pending } }

    /// Lets those find the instance who ask for it while it is being completed.
    func show(_ holder: AnyObject, in flight: Flight) { withLock { _ in flight.pending = holder } }

    /// Puts a thread or task among the waiters.
    ///
    /// - Returns: Whether there is something to wait for.
    private func enqueue(_ waiter: Waiter, for flight: Flight) -> Bool {
        withLock { _ in
            guard flight.outcome == nil else { return false }
            flight.waiters.append(waiter)
            return true
        }
    }

    /// Records that the creation around this code, if there is one, waits for a flight.
    private func waitEdge(to flight: Flight) throws(DependencyError) -> WaitEdge? {
        guard let waiter = Creation.innermost else { return nil }
        do throws(CircularWait) {
            return try WaitGraph.add(waiter, waitingFor: flight)
        } catch {
            throw DependencyError(circular: error.chain)
        }
    }

    /// Blocks the thread until a flight has ended.
    func wait(for flight: Flight) throws(DependencyError) -> Flight.Outcome {
        let waiter = WaitingThread()
        let edge = try waitEdge(to: flight)
        defer { edge?.remove() }
        if enqueue(waiter, for: flight) { waiter.sleep() }
        return withLock { _ in flight.outcome! }  // Set before the waiters are woken.
    }

    /// Suspends the task until a flight has ended or the task is cancelled; nil then.
    func suspend(
        until flight: Flight, isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Flight.Outcome? {
        let waiter = WaitingTask()
        let edge = try waitEdge(to: flight)
        defer { edge?.remove() }
        if enqueue(waiter, for: flight) { await waiter.suspend() }
        return withLock { _ in
            if flight.outcome == nil { flight.waiters.remove(waiter) }
            return flight.outcome
        }
    }
}
