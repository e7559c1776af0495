/// How a service is made, whatever it is and whatever it takes.
@usableFromInline
// Unchecked, because creators and hooks need not be Sendable: they run where the service is asked for, which may be any
// thread, and that is what whoever registers them agrees to. All of it is immutable.
class AnyRecipe: @unchecked Sendable {
    final let lifetime: Lifetime
    /// What the creator asks for; nil where that is not known.
    final let requirements: [Requirement]?
    /// What is to be done when instances go that the registration keeps; nil where there is nothing to do, or where they are
    /// kept elsewhere.
    @usableFromInline
    final let disposals: Disposals?
    @usableFromInline
    final let isAsynchronous: Bool
    /// Who is told of each request; nil where nobody is.
    final let observer: (any DependencyObserver)?

    init(
        lifetime: Lifetime, requirements: [Requirement]?, disposals: Disposals?, isAsynchronous: Bool,
        observer: (any DependencyObserver)?
    ) {
        self.lifetime = lifetime
        self.requirements = requirements
        self.disposals = disposals
        self.isAsynchronous = isAsynchronous
        self.observer = observer
    }

    /// Makes the instance that a request needs, where there is none and no argument is needed for it.
    func create(
        _ registration: AnyServiceRegistration, _ request: Request, isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) {}

    /// Whether there is an instance that a request through a container would get; of those that take arguments, any. For lists.
    func hasInstance(in container: DependencyContainer) -> Bool { false }
}

/// Who asks for a service, and where it was found.
///
/// Counts no references: whoever asks holds the container that it asks, which holds its parents, until it has an answer.
@frozen
@usableFromInline
struct Request {
    /// The container that was asked.
    @usableFromInline
    unowned(unsafe) let asked: DependencyContainer
    /// The container that holds the registration: the one that was asked, or one of its parents.
    @usableFromInline
    unowned(unsafe) let owner: DependencyContainer

    @inlinable
    @inline(__always)
    init(asked: DependencyContainer, owner: DependencyContainer) {
        self.asked = asked
        self.owner = owner
    }
}

/// How a service is made of its arguments, and where its instances are.
@usableFromInline
// Unchecked as the base class.
final class Recipe<Service, Arguments>: AnyRecipe, @unchecked Sendable {
    @usableFromInline
    enum Creator {
        case direct((DependencyContainer, Arguments) throws -> Service)
        case suspending(@Sendable (DependencyContainer, Arguments) async throws -> Service)
        /// Two forms of one factory: the first for callers that do not suspend, the second for those that do.
        case either(
            (DependencyContainer, Arguments) throws -> Service,
            @Sendable (DependencyContainer, Arguments) async throws -> Service)

        /// The form that does not suspend, if there is one.
        var direct: ((DependencyContainer, Arguments) throws -> Service)? {
            switch self {
            case .direct(let create), .either(let create, _): create
            case .suspending: nil
            }
        }

        /// The form that suspends, if there is one.
        var suspending: (@Sendable (DependencyContainer, Arguments) async throws -> Service)? {
            switch self {
            case .suspending(let create), .either(_, let create): create
            case .direct: nil
            }
        }
    }

    @usableFromInline
    let creator: Creator
    /// The creator, where that is all: an instance for each request, made at once.
    @usableFromInline
    let plainCreator: ((DependencyContainer, Arguments) throws -> Service)?

    /// Under what each container keeps its instance; nil where containers have none, or where an observer is told of each request.
    @usableFromInline
    let scopedKey: ScopedSlotKey?
    /// The creator, where that is all: an instance for each container, made at once and just kept.
    @usableFromInline
    let scopedCreator: ((DependencyContainer, Arguments) throws -> Service)?

    private let completion: ((Service, DependencyContainer) throws -> Void)?
    private let hooks: DisposalHooks<Service>?
    /// Where the instance is, if the whole registration has one, or that of the container that holds it.
    @usableFromInline
    let slot: Slot<Service>?
    /// Where the instances are, if there is one for each value of the arguments.
    private let slots: ArgumentSlots?
    private let hashable: ((Arguments) -> [AnyHashable])?

    init(
        _ creator: Creator, lifetime: Lifetime, requirements: [Requirement]? = nil,
        completion: ((Service, DependencyContainer) throws -> Void)? = nil, hooks: DisposalHooks<Service>? = nil,
        hashable: ((Arguments) -> [AnyHashable])? = nil, decorated: Disposals? = nil,
        observer: (any DependencyObserver)? = nil
    ) {
        self.creator = creator
        self.completion = completion
        self.hooks = hooks
        let sharing = lifetime.policy.sharing
        let directCreator = creator.direct
        let isAsynchronous = directCreator == nil
        // The short ways to an instance tell nobody.
        let isScoped = sharing == .container && observer == nil
        let isPlain = completion == nil && hooks == nil && lifetime.policy is Scoped
        scopedCreator = isScoped && isPlain ? directCreator : nil
        plainCreator = sharing == .nobody && completion == nil && observer == nil ? directCreator : nil
        let hasSlot = sharing == .registration || sharing == .container
        slot = hasSlot ? Slot(lifetime.policy.makeStorage(for: Service.self)) : nil
        scopedKey = isScoped ? slot.map { ScopedSlotKey($0.gate) } : nil
        slots = sharing == .arguments ? ArgumentSlots() : nil
        self.hashable = hashable
        let keepsInstances = hasSlot || sharing == .arguments
        super.init(
            lifetime: lifetime, requirements: requirements,
            disposals: hooks != nil && keepsInstances || decorated != nil ? Disposals(decorating: decorated) : nil,
            isAsynchronous: isAsynchronous, observer: observer)
        slot?.storage.disposals = disposals
    }

    /// Of an instance that exists and is observed.
    convenience init(holding instance: Service, _ observer: any DependencyObserver) {
        self.init(.direct { _, _ in instance }, lifetime: .eager, requirements: [], observer: observer)
    }

    /// The slot of the instance that a caller gets, and the container that it is made with and that keeps it.
    private struct Place {
        let slot: Slot<Service>
        let container: DependencyContainer
        let disposals: Disposals?
        let keeping: Creation.Keeping
        var graph: Graph?
        var entry: ArgumentSlots.Entry?
    }

    /// The place for a caller, to be left with `leave`; nil where each caller has an instance of its own.
    private func enterPlace(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ request: Request
    ) throws(DependencyError) -> Place? {
        switch lifetime.policy.sharing.kind {
        case .beforehand, .nobody:
            return nil
        case .registration:
            return slot.map {
                Place(slot: $0, container: request.owner, disposals: disposals, keeping: .registration)
            }
        case .arguments:
            // What is registered so has both.
            guard let slots, let hashable else { return nil }
            guard let entry = slots.enter(hashable(arguments), makeSlot: { Holder(makeSlot()) }) else {
                throw DependencyError(incomparableArgumentsOf: key.subject)
            }
            // The entry is of a table that has slots of this service only.
            let slot = unsafeDowncast(entry.slot, to: Holder<Slot<Service>>.self).value
            return Place(
                slot: slot, container: request.owner, disposals: disposals, keeping: .registration, entry: entry)
        case .container:
            guard let slot else { return nil }
            try checkForCaptivity(key, request)
            // In the container that holds the registration, the instance goes with that.
            if request.asked === request.owner {
                return Place(slot: slot, container: request.owner, disposals: disposals, keeping: .container)
            }
            let scoped = request.asked.scoped(under: slot.gate) {
                ScopedSlot(under: slot.gate, makeSlot(), hasHooks: hooks != nil)
            }
            return Place(
                slot: scoped.slot, container: request.asked, disposals: scoped.disposals, keeping: .container)
        case .graph:
            let graph = Graph.currentOrNew
            return Place(
                slot: graph.slot(of: self) { makeSlot() }, container: request.asked, disposals: nil, keeping: .caller,
                graph: graph)
        }
    }

    /// Refuses a scoped instance to a service that all callers share, and that would keep it.
    @usableFromInline
    func checkForCaptivity(_ key: ServiceKey<Service>, _ request: Request) throws(DependencyError) {
        if let captor = Keeper.captor(ofScopedIn: request.asked) {
            throw DependencyError(captive: key.subject, keeper: captor)
        }
    }

    private func leave(_ place: Place, hasInstance: Bool) {
        if let entry = place.entry { slots?.leave(entry, hasInstance: hasInstance) }
    }

    override func create(
        _ registration: AnyServiceRegistration, _ request: Request, isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) {
        guard let arguments = () as? Arguments, let registration = registration as? ServiceRegistration<Service> else {
            return
        }
        _ = try await instance(suspending: ServiceKey(of: registration), arguments, request)
    }

    override func hasInstance(in container: DependencyContainer) -> Bool {
        switch lifetime.policy.sharing.kind {
        case .beforehand: true
        case .nobody, .graph: false
        case .registration: slot?.storage.load() != nil
        case .arguments: slots?.hasInstances ?? false
        case .container:
            slot.flatMap { container.scopedIfAny(under: $0.gate, Service.self) }?.slot.storage.load() != nil
        }
    }

    private func makeSlot() -> Slot<Service> { Slot(lifetime.policy.makeStorage(for: Service.self)) }

    /// Keeps a complete instance, and notes its disposal; unless the flight was abandoned, or the container or the
    /// registration ended, or was reset, during the creation: then nobody who asks from now on gets it, and it is disposed of.
    /// Callers that asked before a removal or a reset get the instance all the same.
    private func keep(_ instance: Service, in place: Place, _ flight: Flight) throws(DependencyError) {
        let storage = place.slot.storage
        if let error = place.slot.gate.claim(flight) {
            if let hooks { flight.leave(Disposal(hooks, for: instance, mark: 0)) }
            throw error
        }
        guard let hooks, let disposals = place.disposals else {
            if place.container.hasEnded { throw DependencyError(.shutDown, flight.subject, trail: flight.trail) }
            return storage.store(instance)
        }
        let disposal = Disposal(hooks, for: instance, mark: storage.mark)
        let state = place.container.state
        guard state.add(disposal) else {
            flight.leave(disposal)
            throw DependencyError(.shutDown, flight.subject, trail: flight.trail)
        }
        guard disposals.add(disposal, of: state) else {
            if state.forget(disposal) { flight.leave(disposal) }
            // For callers that found the registration before it was removed: they share one instance too. A storage that was reset
            // takes nothing from before.
            return storage.store(instance)
        }
        storage.store(instance)
        // What the storage held before has no other end than this.
        if let last = storage.lastDisposal, disposals.forget(last) { flight.leave(last) }
        storage.lastDisposal = disposal
    }
}

/// Makes an instance by a creator that asks for nothing. Not inlined: a frame is more than a path that is short has room for.
@inlinable
@inline(never)
func makeInstance<Service>(_ key: ServiceKey<Service>, _ creator: () -> Service) -> Service {
    withFrame(key) { creator() }
}

/// Makes an instance for one request.
@inlinable
@inline(__always)
func makeInstance<Service, Arguments>(
    _ key: ServiceKey<Service>, _ arguments: Arguments, _ request: Request,
    _ creator: (DependencyContainer, Arguments) throws -> Service
) throws(DependencyError) -> Service {
    do {
        return try withThrowingFrame(key) { try creator(request.asked, arguments) }
    } catch {
        throw DependencyError(error, key)
    }
}

// MARK: - On a thread

extension Recipe {
    /// The instance for a request, made where there is none.
    @inlinable
    @inline(__always)
    func instance(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ request: @autoclosure () -> Request
    ) throws(DependencyError) -> Service {
        if let plainCreator { return try makeInstance(key, arguments, request(), plainCreator) }
        if let scopedKey {
            // Who asks may be the factory of a service for all callers: on this thread, or in a task.
            if innermostFrame != nil || isWatched { try checkForCaptivity(key, request()) }
            if let instance = request().asked.registry.scopedInstance(scopedKey, Service.self) { return instance }
            if let scopedCreator { return try scopedInstance(key, arguments, request(), scopedCreator) }
        }
        return try instanceSlow(key, arguments, request())
    }

    /// The instance that a container is going to keep, where it has none. Most requests of a server come here for each of their
    /// services, so this is `instanceSlow` once more, specialised, for the case that nothing is in the way: what is made is a slot
    /// with its flight already under way, and whoever adds that is the one who creates.
    @inlinable
    @inline(never)
    func scopedInstance(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ request: Request,
        _ creator: (DependencyContainer, Arguments) throws -> Service
    ) throws(DependencyError) -> Service {
        let container = request.asked
        guard let keptGate = slot?.gate, container !== request.owner, !container.hasEnded else {
            return try instanceSlow(key, arguments, request)
        }
        if innermostFrame == nil { try checkForCaptivity(key, request) }
        let (gate, flight) = Gate.make(leaving: key.type, key.discriminator)
        let new = ScopedSlot<Service>(under: keptGate, leavingFrom: gate)
        if container.registry.addScopedSlot(ScopedSlotKey(keptGate), new) !== new {
            // There is a slot: another thread was faster, this one asks for itself, or a creator failed before. The gate and its
            // flight refer to each other until that has ended.
            _ = gate.endUnheard(flight)
            return try instanceSlow(key, arguments, request)
        }
        do {
            let instance = try withThrowingFrame(key, creation: flight, container: container) {
                try creator(container, arguments)
            }
            if container.hasEnded { throw shutDownError(key.type, key.discriminator) }
            new.slot.storage.cell.fillFirst(instance)
            new.slot.end(flight, instance)
            return instance
        } catch {
            let error = DependencyError(error, key)
            gate.end(flight, failure: error)
            throw error
        }
    }

    @usableFromInline
    @inline(never)
    func instanceSlow(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ request: Request
    ) throws(DependencyError) -> Service {
        let instance = try instanceInPlace(key, arguments, request)
        observer?.didResolve()
        return instance
    }

    private func instanceInPlace(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ request: Request
    ) throws(DependencyError) -> Service {
        guard let place = try enterPlace(key, arguments, request) else {
            return try created(key, arguments, request.asked)
        }
        if let instance = place.slot.storage.load() {
            leave(place, hasInstance: true)
            return instance
        }
        do throws(DependencyError) {
            let instance =
                isAsynchronous
                ? try place.slot.instanceWithoutCreation(key.subject)
                : try place.slot.instance(key.subject, place.graph, place.keeping) { flight throws(DependencyError) in
                    try createdAndKept(key, arguments, in: place, flight)
                }
            leave(place, hasInstance: true)
            return instance
        } catch {
            leave(place, hasInstance: false)
            throw error
        }
    }

    private func createdAndKept(
        _ key: ServiceKey<Service>, _ arguments: Arguments, in place: Place, _ flight: Flight
    ) throws(DependencyError) -> Service {
        if place.container.hasEnded { throw DependencyError(.shutDown, key.subject) }
        let instance: Service
        if place.keeping == .registration {
            instance = try inWorld(of: place.container, isObserved: observer != nil) { () throws(DependencyError) in
                try created(key, arguments, place.container, flight: flight, in: place)
            }
        } else {
            instance = try created(key, arguments, place.container, flight: flight, in: place)
        }
        try keep(instance, in: place, flight)
        return instance
    }

    /// A new instance, complete.
    private func created(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ container: DependencyContainer,
        flight: Flight? = nil, in place: Place? = nil
    ) throws(DependencyError) -> Service {
        guard let create = creator.direct else { throw DependencyError(.onlyAsynchronous, key.subject) }
        // Its factory sees as `shared` the container that keeps the service; that of a transient one, what its caller sees.
        let shared = place.flatMap { $0.keeping == .caller ? nil : $0.container }
        do {
            return try withThrowingFrame(key, creation: flight, container: shared, graph: place?.graph) {
                let instance = try create(container, arguments)
                if let completion {
                    if let flight { place?.slot.show(instance, in: flight) }
                    try completion(instance, container)
                }
                return instance
            }
        } catch {
            throw DependencyError(error, key)
        }
    }
}

// MARK: - In a task

extension Recipe {
    /// The instance for a request, made where there is none, without blocking a thread.
    func requestedInstance(
        suspending key: ServiceKey<Service>, _ arguments: Arguments, _ request: Request,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Service {
        let instance = try await instance(suspending: key, arguments, request)
        observer?.didResolve()
        return instance
    }

    /// As `requestedInstance`, where nobody has asked for it.
    func instance(
        suspending key: ServiceKey<Service>, _ arguments: Arguments, _ request: Request,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Service {
        guard let place = try enterPlace(key, arguments, request) else {
            guard let create = creator.suspending else { return try created(key, arguments, request.asked) }
            return try await created(key, arguments, request.asked, create)
        }
        if let instance = place.slot.storage.load() {
            leave(place, hasInstance: true)
            return instance
        }
        do throws(DependencyError) {
            let instance = try await sharedInstance(key, arguments, in: place)
            leave(place, hasInstance: true)
            return instance.value
        } catch {
            leave(place, hasInstance: false)
            throw error
        }
    }

    private func sharedInstance(
        _ key: ServiceKey<Service>, _ arguments: Arguments, in place: Place,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Unchecked<Service> {
        guard let create = creator.suspending else {
            return try await place.slot.instance(
                direct: key.subject, place.graph, place.keeping
            ) { flight throws(DependencyError) in
                try createdAndKept(key, arguments, in: place, flight)
            }
        }
        if let error = depthError(suspending: key.subject) { throw error }
        let arguments = Unchecked(arguments)
        let place = Unchecked(place)
        // The creation goes on when all who wait for it are cancelled, and leaves its place by itself.
        return try await place.value.slot.instance(
            suspending: key.subject, place.value.graph, place.value.keeping, for: place.value.container,
            isObserved: observer != nil
        ) {
            if let entry = place.value.entry { slots?.hold(entry) }
        } create: { [self] flight async throws(DependencyError) in
            let place = place.value
            var isKept = false
            defer { leave(place, hasInstance: isKept) }
            if place.container.hasEnded { throw DependencyError(.shutDown, key.subject, trail: flight.trail) }
            do {
                let instance = Unchecked(try await create(place.container, arguments.value))
                if let completion {
                    place.slot.show(instance.value, in: flight)
                    try completion(instance.value, place.container)
                }
                try keep(instance.value, in: place, flight)
                isKept = true
                return instance
            } catch {
                throw DependencyError(error, key, trail: flight.trail)
            }
        }
    }

    /// A new instance that nobody shares: made in the task that asks.
    private func created(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ container: DependencyContainer,
        _ create: @Sendable (DependencyContainer, Arguments) async throws -> Service,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Service {
        if let error = depthError(suspending: key.subject) { throw error }
        let context = CreationContext(
            Creation(key.subject, keeping: .caller, suspendingFor: container, graph: .currentOrNew))
        defer { context.end() }
        let arguments = Unchecked(arguments)
        do {
            let instance = try await CreationContext.$current.withValue(context) {
                Unchecked(try await create(container, arguments.value))
            }
            try completion?(instance.value, container)
            return instance.value
        } catch {
            throw DependencyError(error, key)
        }
    }
}

/// What crosses between tasks although the compiler cannot know that it may.
// Unchecked. Sound, because whoever registers a creator agrees that it runs, and gets its arguments, wherever it is asked for.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
