// Exactly-once creation of a shared instance.
//
// 1. Protocol
//
// A shared instance has a storage, which holds it, and a single flight, which coalesces concurrent creations. A caller that finds
// the storage empty joins the creation in flight. If there is none, it begins one and becomes the leader. The leader runs the
// factory, stores the instance and ends the creation; all other callers wait for the outcome. If the factory suspends, the leader
// is a task that the first caller starts.
//
//   storage empty, none in flight    ---- first caller ------------------>   storage empty, one in flight
//   storage empty, one in flight     ---- the factory returned ---------->   storage full, none in flight; or first pending,
//                                                                            see CompletionGroup.swift
//   storage empty, one in flight     ---- the factory threw ------------->   storage empty, none in flight
//   storage full                     ---- cleared, or its object died --->   storage empty, none in flight
//
// 2. Synchronization
//
//   the storage                         the leader fills it, any thread clears it; a lock of the storage serialises both
//   `SingleFlight.creation`             under the lock of the single flight
//   the variables of `InFlightCreation` under the same lock, except for `leftovers`, which belong to the leader
//   `Creation.waits`                    under the lock of `WaitForGraph`
//
// 3. Invariants
//
// 1. No lock is held while a factory runs. The lock of a single flight is held for a few instructions.
// 2. The leader loads the storage once more before it runs the factory. A creation stores its instance before it ends, so an
//    instance that was created since the leader's first load is found. Two creations never fill the same gap (race A).
// 3. A caller inside the creation itself would wait for itself. It gets an error with the chain or, if the instance is pending, that
//    instance. Callers inside other creations may borrow it (CompletionGroup.swift).
// 4. A waiter gets the outcome of the creation that it joined, whatever happens to the storage meanwhile. A failure is not cached:
//    the next caller begins a new creation.
// 5. If the storage was reset since a creation began, the instance of that creation is not for later callers. They wait for its
//    end all the same, because only one creation is in flight at a time, and then begin their own (race D). A caller inside another
//    creation borrows a pending instance even so, because waiting for its end could deadlock.
// 6. A creation is claimed before its instance is stored. An abandoned creation cannot be claimed, and a claimed one cannot be
//    abandoned. Claiming, abandoning and ending take the same lock. So if a creation is abandoned and another one begins in its
//    place, exactly one of the two stores its instance (race C).
// 7. A creation that nobody has joined by its end passes its instance to nobody: later callers find it in the storage. Joining and
//    ending take the same lock, so nobody joins in between (race B).
// 8. Disposal hooks of instances that were not stored run after the end of the creation, because they may resolve the service
//    again.
// 9. A thread never waits for a creation that suspends, because its factory may need that very thread.
//
// 4. Races
//
// A. Thread 1 finds the storage empty. Thread 2 creates the instance, stores it and ends its creation. Now thread 1 finds no
//    creation in flight and begins one. With a single load, it would run the factory a second time (invariant 2).
// B. The leader ends a creation while another caller is about to join it. If the caller is first, the leader sees that it has
//    joined, and passes it the instance. If the leader is first, the caller finds no creation in flight and begins one. As its
//    leader it finds the instance in the storage (invariants 7 and 2).
// C. A factory fails in `resolve`, and the failure handler parks its thread for ever. Its code never ends the creation, so the
//    creation is abandoned: the waiters get the error, and the next caller begins another one. But perhaps only a part of the
//    factory has stopped, such as one of its tasks, and the rest still returns an instance. So the leader claims the creation
//    before it stores the instance. If the creation was abandoned before, the instance is disposed of. If it was claimed before,
//    it is not abandoned, and the leader ends it (invariant 6). `ServiceFactory.scopedInstance` does not claim: its factory runs on
//    a thread, and a thread whose creation was abandoned never returns from the factory.
// D. A scope is reset while a factory runs. A caller that joined the creation and compared the generations before the reset gets
//    the instance (invariant 4). A later one sees that the generation has changed, waits, and tries again (invariant 5).
// E. A creation ends while a waiter is about to sleep. Ending the creation takes all waiters from the list, and a waiter checks the
//    outcome before it adds itself, each in one critical section. So the waiter is woken, or does not sleep.
// F. Two creations wait for each other: see WaitForGraph.swift.

// Unchecked for the same reason as the base class.
final class RegistrationInstances<Service, Arguments>: Instances<Service, Arguments>, @unchecked Sendable {
    private let shared: SharedInstance<Service>

    override init(_ setup: InstancesSetup<Arguments>) {
        shared = SharedInstance(setup.makeStorage(for: Service.self))
        shared.storage.disposals = setup.disposals
        super.init(setup)
    }

    override func place(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ resolution: Resolution
    ) throws(DependencyError) -> InstancePlace<Service> {
        InstancePlace(
            shared: shared, container: resolution.owner, disposals: setup.disposals,
            ownership: try setup.ownershipUnlessCaptive(key))
    }

    override func instance(for resolution: Resolution) -> Service? { shared.storage.load() }

    override var permanentInstance: InstancePointer? {
        setup.lifetime.isPermanent ? InstancePointer(shared.storage.cell) : nil
    }
}

/// One shared instance: its storage, and the single flight that fills it.
// Unchecked, because the base class of the single flight is declared as not Sendable. Sound, because the single flight has a lock.
struct SharedInstance<Service>: @unchecked Sendable {
    let storage: InstanceStorage<Service>
    let singleFlight: SingleFlight

    init(_ storage: InstanceStorage<Service>) {
        self.init(storage, SingleFlight.make())
    }

    init(_ storage: InstanceStorage<Service>, _ singleFlight: SingleFlight) {
        self.storage = storage
        self.singleFlight = singleFlight
    }

    /// Joins the creation in flight, or begins one, which the caller has to end.
    func join(
        _ identity: ServiceIdentity, _ graph: @autoclosure () -> ObjectGraph?, _ ownership: Ownership,
        suspendingFor container: DependencyContainer? = nil, joined: Int = 0
    ) -> (creation: InFlightCreation, isNew: Bool) {
        singleFlight.join {
            InFlightCreation(
                identity, ownership: ownership, suspendingFor: container, in: singleFlight, graph: graph(),
                generation: storage.generation, joined: joined)
        }
    }

    /// Ends a creation with its instance.
    func end(_ creation: InFlightCreation, _ instance: Service) {
        if singleFlight.endIfNobodyJoined(creation) { return }
        endForWaiters(creation, instance)
    }

    /// The slow path of `end`, for a creation that others have joined.
    func endForWaiters(_ creation: InFlightCreation, _ instance: Service) {
        singleFlight.end(creation, .instance(Box(instance)))
    }

    /// Returns the instance of an outcome, or throws its error.
    func instance(of outcome: InFlightCreation.Outcome) throws(DependencyError) -> Service {
        switch outcome {
        case .instance(let box): value(of: box)
        case .failure(let error): throw error
        }
    }

    // All boxes of this single flight are of this service.
    private func value(of box: AnyObject) -> Service { unsafeDowncast(box, to: Box<Service>.self).value }

    // MARK: On a thread

    /// Returns the instance. If there is none, the closure creates it in a frame of the creation, on one thread at a time.
    ///
    /// The object graph is that of the resolve call, if it is known.
    func instance(
        _ identity: ServiceIdentity, _ graph: ObjectGraph?, _ ownership: Ownership,
        create: (InFlightCreation) throws(DependencyError) -> Service
    ) throws(DependencyError) -> Service {
        while true {
            if let instance = storage.load() { return instance }
            let (creation, isNew) = join(identity, graph, ownership)
            if isNew { return try lead(creation, create) }
            if let instance = try instanceInside(creation) { return instance }
            // Invariant 9.
            if creation.isSuspending { throw DependencyError(.onlyAsynchronous, identity) }
            // Invariant 5.
            let isForOthers = creation.generation != storage.generation
            // Without an outcome, the instance is pending.
            guard let outcome = try singleFlight.wait(for: creation) else { continue }
            if !isForOthers { return try instance(of: outcome) }
        }
    }

    /// Returns the instance of a service that only tasks create, if it exists; throws otherwise.
    ///
    /// It never waits (invariant 9), because asynchronous factories promise that no thread is blocked for them.
    func instanceWithoutCreation(_ identity: ServiceIdentity) throws(DependencyError) -> Service {
        if let instance = storage.load() { return instance }
        if let creation = singleFlight.creation, let instance = try instanceInside(creation) { return instance }
        throw DependencyError(.onlyAsynchronous, identity)
    }

    /// Runs the factory of a creation on this thread, and ends the creation.
    func lead(
        _ creation: InFlightCreation, _ create: (InFlightCreation) throws(DependencyError) -> Service
    ) throws(DependencyError) -> Service {
        // After the end of the creation (invariant 8).
        defer { creation.disposeOfLeftovers() }
        do throws(DependencyError) {
            let instance: Service
            // Invariant 2: another creation may have ended since the caller found the storage empty.
            if let found = storage.load() {
                instance = found
            } else {
                storage.prepare()
                instance = try create(creation)
                if creation.group != nil {
                    try creation.finishIfOutermost()
                    return instance
                }
            }
            end(creation, instance)
            return instance
        } catch {
            singleFlight.end(creation, .failure(error))
            creation.finishOthers()
            throw error
        }
    }

    /// Returns the pending instance, if the caller may have it. Throws if the caller is inside this creation, and there is no instance.
    /// Returns nil if the caller has to wait (invariant 3).
    func instanceInside(_ creation: InFlightCreation) throws(DependencyError) -> Service? {
        let isInside = Creation.innermost?.isInside(creation) ?? false
        if let (box, group) = singleFlight.pending(of: creation) {
            if let outermost = ResolutionStack.outermostCreation {
                // If the group has failed, the creation is about to end with the error.
                guard CompletionGroup.ofOutermost(outermost).borrow(from: group) else { return nil }
            } else if !isInside, !group.hasEnded {
                return nil
            }
            return value(of: box)
        }
        guard isInside else { return nil }
        let chain = Creation.currentTrail.dropFirst(creation.trail.count - 1)
        throw DependencyError(circular: chain + [creation.identity])
    }

    /// Publishes a pending instance to callers that may borrow it.
    func showPending(_ instance: Service, of creation: InFlightCreation) {
        singleFlight.show(Box(instance), of: creation)
    }
}
