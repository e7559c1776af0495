// Exactly once: where a shared instance is kept, and who creates it.
//
//   storage empty, no creation    ---- first caller ------------------>   storage empty, a creation
//   storage empty, a creation     ---- the factory returned ---------->   storage full, no creation
//   storage empty, a creation     ---- the factory threw ------------->   storage empty, no creation
//   storage full                  ---- cleared, or its object died --->   storage empty, no creation
//
// 1. Nothing is locked while a factory runs. The lock of a single flight is held for a few instructions.
// 2. The caller that begins a creation looks into the storage once more before it creates. The creation before it has stored its
//    instance before it ended, so an instance that was created in between is found: two creations never fill the same gap.
// 3. A caller inside the creation itself would wait for itself, so it gets an error with the chain or, if the instance is being
//    completed, the instance.
// 4. A waiter gets the outcome of the creation that it joined, whatever happens to the storage meanwhile. A failure is not kept: the
//    next caller begins a new creation.
// 5. If the storage says that the instance under creation is not for callers from now on, they wait for the end of the creation all
//    the same, since there is one at a time, and then begin their own.
// 6. A creation whose code never ends it, because its thread is parked for ever, is abandoned: it ends with the error. If only a part
//    of its factory was stopped, such as one of its tasks, the rest may still return an instance. Before that is stored, the creation
//    is claimed. An abandoned creation cannot be claimed, and its instance is disposed of; a claimed one cannot be abandoned. Claiming,
//    abandoning and ending take the same lock: so of the outcomes of one creation, and of the creation that was begun in its place,
//    exactly one reaches the storage.
// 7. A creation that nobody has joined by its end passes its instance to nobody: later callers find it in the storage. Joining and
//    ending take the same lock, so nobody joins in between.
// 8. Disposal hooks of instances that were not stored run after the end of the creation: they may resolve the service again.
// 9. A thread never waits for a creation that suspends. Its factory may need that very thread.

/// One instance for all resolve calls that meet one registration. See ``Lifetime/singleton``, ``Lifetime/weak`` and
/// ``Lifetime/cached(in:)``.
enum SharedByRegistration: SharingKind {
    static var ownership: Creation.Ownership { .registration }
    static var look: DependencyGraph.Look {
        .init(name: "registration", fill: "#c9e9dc", others: ["style=\"filled,rounded\""])
    }

    static func instances<Service, Arguments>(
        _ setup: InstancesSetup<Arguments>, of service: Service.Type
    ) -> Instances<Service, Arguments>? {
        RegistrationInstances(setup)
    }
}

// Unchecked as the base class.
private final class RegistrationInstances<Service, Arguments>: Instances<Service, Arguments>, @unchecked Sendable {
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
            shared: shared, container: resolution.owner, disposals: setup.disposals, ownership: .registration)
    }

    override func hasInstance(in container: DependencyContainer) -> Bool { shared.storage.load() != nil }

    override var permanentInstance: InstancePointer? {
        setup.lifetime.isPermanent ? InstancePointer(shared.storage.cell) : nil
    }
}

/// The place of one shared instance: a storage, and the single flight that fills it.
@usableFromInline
// Unchecked, because of the single flight, whose base class is declared not to be Sendable. Sound, because that has a lock.
struct SharedInstance<Service>: @unchecked Sendable {
    @usableFromInline
    let storage: InstanceStorage<Service>
    @usableFromInline
    let singleFlight: SingleFlight

    init(_ storage: InstanceStorage<Service>) {
        self.init(storage, SingleFlight.make())
    }

    @inlinable
    init(_ storage: InstanceStorage<Service>, _ singleFlight: SingleFlight) {
        self.storage = storage
        self.singleFlight = singleFlight
    }

    /// Joins the creation under way, or begins one, which the caller has to end.
    func join(
        _ identity: ServiceIdentity, _ graph: @autoclosure () -> ObjectGraph?, _ ownership: Creation.Ownership,
        suspendingFor container: DependencyContainer? = nil, joined: Int = 0
    ) -> (creation: InFlightCreation, isNew: Bool) {
        singleFlight.join {
            InFlightCreation(
                identity, ownership: ownership, suspendingFor: container, in: singleFlight, graph: graph(),
                generation: storage.generation, joined: joined)
        }
    }

    /// Ends a creation with its instance.
    @inlinable
    func end(_ creation: InFlightCreation, _ instance: Service) {
        if singleFlight.endIfNobodyJoined(creation) { return }
        endForWaiters(creation, instance)
    }

    @usableFromInline
    func endForWaiters(_ creation: InFlightCreation, _ instance: Service) {
        singleFlight.end(creation, .instance(Box(instance)))
    }

    /// The instance of an outcome.
    func instance(of outcome: InFlightCreation.Outcome) throws(DependencyError) -> Service {
        switch outcome {
        case .instance(let box): value(of: box)
        case .failure(let error): throw error
        case .nobodyJoined: preconditionFailure("invariant 7: the caller has joined")
        }
    }

    // The boxes of this single flight are all of this service.
    private func value(of box: AnyObject) -> Service { unsafeDowncast(box, to: Box<Service>.self).value }

    // MARK: On a thread

    /// The instance, created by the closure if there is none: in a frame with the creation, and by one thread at a time. The graph is
    /// that of the resolve call, if it is known.
    func instance(
        _ identity: ServiceIdentity, _ graph: ObjectGraph?, _ ownership: Creation.Ownership,
        create: (InFlightCreation) throws(DependencyError) -> Service
    ) throws(DependencyError) -> Service {
        while true {
            if let instance = storage.load() { return instance }
            let (creation, isNew) = join(identity, graph, ownership)
            if isNew { return try lead(creation, create) }
            if let instance = try instanceInside(creation) { return instance }
            if creation.isSuspending { throw DependencyError(.onlyAsynchronous, identity) }
            let isForOthers = creation.generation != storage.generation
            let outcome = try singleFlight.wait(for: creation)
            if !isForOthers { return try instance(of: outcome) }
        }
    }

    /// The instance of a service that only tasks can create, if it exists. Its factory may need this very thread, and callers were
    /// promised that no thread is blocked.
    func instanceWithoutCreation(_ identity: ServiceIdentity) throws(DependencyError) -> Service {
        if let instance = storage.load() { return instance }
        if let creation = singleFlight.creation, let instance = try instanceInside(creation) { return instance }
        throw DependencyError(.onlyAsynchronous, identity)
    }

    func lead(
        _ creation: InFlightCreation, _ create: (InFlightCreation) throws(DependencyError) -> Service
    ) throws(DependencyError) -> Service {
        defer { creation.disposeOfLeftovers() }
        do throws(DependencyError) {
            let instance: Service
            if let found = storage.load() {
                instance = found
            } else {
                storage.prepare()
                instance = try create(creation)
            }
            end(creation, instance)
            return instance
        } catch {
            singleFlight.end(creation, .failure(error))
            throw error
        }
    }

    /// The incomplete instance, or an error, for a caller inside the creation itself; nil for all others.
    func instanceInside(_ creation: InFlightCreation) throws(DependencyError) -> Service? {
        guard let innermost = Creation.innermost, innermost.isInside(creation) else { return nil }
        if let incomplete = singleFlight.incomplete(of: creation) { return value(of: incomplete) }
        let chain = Creation.currentTrail.dropFirst(creation.trail.count - 1)
        throw DependencyError(circular: chain + [creation.identity])
    }

    /// Shows the instance to callers inside its creation, while it is being completed.
    func showIncomplete(_ instance: Service, of creation: InFlightCreation) {
        singleFlight.show(Box(instance), of: creation)
    }
}
