// Exactly once: where a shared instance is kept, and who makes it.
//
//   storage empty, no flight    ---- the first who asks -------->   storage empty, a flight
//   storage empty, a flight     ---- the creator returned ------>   storage full, no flight
//   storage empty, a flight     ---- the creator threw --------->   storage empty, no flight
//   storage full                ---- cleared, or run dry ------->   storage empty, no flight
//
// 1. Nothing is locked while a creator runs; the lock of a gate is held for a few instructions.
// 2. Whoever begins a flight looks into the storage once more before it creates. The flight before has stored its instance
//    before it ended, so what was created in between is found: two flights never create for the same gap.
// 3. Whoever asks in the course of the flight itself would wait for itself, so it gets an error with the chain, or, where the
//    instance is being completed, the instance.
// 4. Whoever waits gets the outcome of that very flight, whatever happens to the storage meanwhile. A failure is not kept:
//    who asks after it begins a new flight.
// 5. Where the storage says that what is being created is not for those who ask from now on, they wait for the end of the
//    flight all the same, since there is one at a time, and then begin their own.
// 6. A flight whose code is never going to end it, because it is parked for ever, is abandoned: it ends with the error. If only
//    a part of its factory was stopped, such as one of its tasks, the rest may still return an instance. Before that is stored,
//    the flight is claimed; one that was abandoned before cannot be claimed, and its instance is disposed of. One that is claimed
//    cannot be abandoned. Claiming, abandoning and ending take the same lock: so of the outcomes of one flight, and of the
//    flight that was begun in its place, exactly one reaches the storage.
// 7. A flight that nobody has joined by its end hands its instance to nobody: who comes later finds it in the storage. Joining
//    and ending take the same lock, so nobody joins in between.
// 8. Disposal hooks of instances that were not stored run after the end of the flight: they may ask for the service again.
// 9. A thread never waits for a flight that suspends. Its factory may need that very thread.

/// Where one shared instance is.
@usableFromInline
// Unchecked, because of the gate, whose base class is declared not to be Sendable. Sound, because the gate has a lock.
struct Slot<Service>: @unchecked Sendable {
    @usableFromInline
    let storage: InstanceStorage<Service>
    @usableFromInline
    let gate: Gate

    init(_ storage: InstanceStorage<Service>) {
        self.init(storage, Gate.make())
    }

    @inlinable
    init(_ storage: InstanceStorage<Service>, _ gate: Gate) {
        self.storage = storage
        self.gate = gate
    }

    /// The flight that goes on, or a new one, which is the caller's to end.
    private func board(
        _ subject: Subject, _ graph: @autoclosure () -> Graph?, _ keeping: Creation.Keeping,
        suspendingFor container: DependencyContainer? = nil, followers: Int = 0
    ) -> (flight: Flight, isNew: Bool) {
        gate.board {
            Flight(
                subject, keeping: keeping, suspendingFor: container, from: gate, graph: graph(),
                generation: storage.generation, followers: followers)
        }
    }

    /// Ends a flight with its instance.
    @inlinable
    func end(_ flight: Flight, _ instance: Service) {
        if gate.endUnheard(flight) { return }
        endHeard(flight, instance)
    }

    @usableFromInline
    func endHeard(_ flight: Flight, _ instance: Service) { gate.end(flight, .instance(Holder(instance))) }

    /// What comes of an outcome.
    private func instance(of outcome: Flight.Outcome) throws(DependencyError) -> Service {
        switch outcome {
        case .instance(let holder): value(of: holder)
        case .failure(let error): throw error
        case .unheard: preconditionFailure("invariant 7: whoever asks has joined")
        }
    }

    // What a flight of this gate has is of this service.
    private func value(of holder: AnyObject) -> Service { unsafeDowncast(holder, to: Holder<Service>.self).value }

    // MARK: On a thread

    /// The instance, made by the closure where there is none: in a frame with the flight, and by one thread at a time. The graph
    /// is that of the request, where it is known.
    func instance(
        _ subject: Subject, _ graph: Graph?, _ keeping: Creation.Keeping,
        create: (Flight) throws(DependencyError) -> Service
    ) throws(DependencyError) -> Service {
        while true {
            if let instance = storage.load() { return instance }
            let (flight, isNew) = board(subject, graph, keeping)
            if isNew { return try lead(flight, create) }
            if let instance = try instanceInside(flight) { return instance }
            if flight.isSuspending { throw DependencyError(.onlyAsynchronous, subject) }
            let isForOthers = flight.generation != storage.generation
            let outcome = try gate.wait(for: flight)
            if !isForOthers { return try instance(of: outcome) }
        }
    }

    /// The instance, where there is one, of a service that only tasks can create. Its creator may need this very thread, and it
    /// was promised that none is blocked.
    func instanceWithoutCreation(_ subject: Subject) throws(DependencyError) -> Service {
        if let instance = storage.load() { return instance }
        if let flight = gate.flight, let instance = try instanceInside(flight) { return instance }
        throw DependencyError(.onlyAsynchronous, subject)
    }

    private func lead(
        _ flight: Flight, _ create: (Flight) throws(DependencyError) -> Service
    ) throws(DependencyError) -> Service {
        defer { flight.disposeOfLeftovers() }
        do throws(DependencyError) {
            let instance: Service
            if let found = storage.load() {
                instance = found
            } else {
                storage.prepare()
                instance = try create(flight)
            }
            end(flight, instance)
            return instance
        } catch {
            gate.end(flight, .failure(error))
            throw error
        }
    }

    /// What somebody gets who asks in the course of the flight itself; nil for all others.
    private func instanceInside(_ flight: Flight) throws(DependencyError) -> Service? {
        guard let innermost = Creation.innermost, innermost.isInside(flight) else { return nil }
        if let pending = gate.pending(of: flight) { return value(of: pending) }
        let chain = Creation.currentTrail.dropFirst(flight.trail.count - 1)
        throw DependencyError(circular: chain + [flight.subject])
    }

    /// Lets those find the instance who ask for it while it is being completed.
    func show(_ instance: Service, in flight: Flight) { gate.show(Holder(instance), in: flight) }
}

// MARK: - In a task

extension Slot {
    /// The instance, made by the closure where there is none: in a task of its own, so that those who wait can be cancelled
    /// without cancelling each other, and outside of the caller's task-locals. The other closure is called before that task
    /// begins.
    func instance(
        suspending subject: Subject, _ graph: Graph?, _ keeping: Creation.Keeping, for container: DependencyContainer,
        isObserved: Bool, isolation: isolated (any Actor)? = #isolation, begin: () -> Void,
        create: @escaping @Sendable (Flight) async throws(DependencyError) -> Unchecked<Service>
    ) async throws(DependencyError) -> Unchecked<Service> {
        while true {
            if let instance = storage.load() { return Unchecked(instance) }
            // The caller that begins it waits for it too.
            let (flight, isNew) = board(
                subject, graph ?? .currentOrNew, keeping, suspendingFor: container, followers: 1)
            if isNew {
                begin()
                let context = CreationContext(flight)
                startTask(inWorldOf: container, isObserved: isObserved, in: context) {
                    await lead(flight, context, create)
                }
                return Unchecked(try instance(of: try await outcome(of: flight, subject).value))
            }
            if let instance = try await join(flight, subject) { return instance }
        }
    }

    /// The instance, made by the closure here and now where there is none, unless somebody is making it already.
    func instance(
        direct subject: Subject, _ graph: Graph?, _ keeping: Creation.Keeping,
        isolation: isolated (any Actor)? = #isolation,
        create: (Flight) throws(DependencyError) -> Service
    ) async throws(DependencyError) -> Unchecked<Service> {
        while true {
            if let instance = storage.load() { return Unchecked(instance) }
            let (flight, isNew) = board(subject, graph, keeping)
            if isNew { return Unchecked(try lead(flight, create)) }
            if let instance = try await join(flight, subject) { return instance }
        }
    }

    /// What comes of a flight; nil where that is for others.
    private func join(
        _ flight: Flight, _ subject: Subject, isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Unchecked<Service>? {
        if let instance = try instanceInside(flight) { return Unchecked(instance) }
        let isForOthers = flight.generation != storage.generation
        let outcome = try await outcome(of: flight, subject).value
        return isForOthers ? nil : Unchecked(try instance(of: outcome))
    }

    private func lead(
        _ flight: Flight, _ context: CreationContext,
        _ create: @Sendable (Flight) async throws(DependencyError) -> Unchecked<Service>
    ) async {
        // The context ends first: who learns of the end of the flight finds no task inside of it any more.
        defer { flight.disposeOfLeftovers() }
        if let instance = storage.load() {
            context.end()
            return end(flight, instance)
        }
        storage.prepare()
        do throws(DependencyError) {
            let instance = try await create(flight)
            context.end()
            end(flight, instance.value)
        } catch {
            context.end()
            gate.end(flight, .failure(error))
        }
    }

    /// Waits for a flight, without blocking a thread.
    private func outcome(
        of flight: Flight, _ subject: Subject, isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Unchecked<Flight.Outcome> {
        guard let outcome = try await gate.suspend(until: flight) else { throw DependencyError(.cancelled, subject) }
        return Unchecked(outcome)
    }
}
