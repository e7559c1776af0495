/// How a service is created, whatever it is and whatever arguments it takes.
@usableFromInline
// Unchecked, because factories and hooks that were registered without a check need not be Sendable: they run on any thread that
// resolves the service, and whoever registers them agrees to that. All of it is immutable.
class AnyServiceFactory: @unchecked Sendable {
    final let lifetime: Lifetime
    /// The parameters of the initializer; nil if they are not known.
    final let requirements: [Requirement]?
    /// The disposals of the instances that the registration owns; nil if there is no hook, or if they are owned elsewhere.
    @usableFromInline
    final let disposals: Disposals?
    @usableFromInline
    final let isAsynchronous: Bool
    /// The observer that is told of each resolve call; nil if there is none.
    final let observer: (any DependencyObserver)?
    /// Whether the compiler has checked that nothing else refers to a new instance.
    final let isSending: Bool

    init(
        lifetime: Lifetime, requirements: [Requirement]?, disposals: Disposals?, isAsynchronous: Bool,
        observer: (any DependencyObserver)?, isSending: Bool
    ) {
        self.lifetime = lifetime
        self.requirements = requirements
        self.disposals = disposals
        self.isAsynchronous = isAsynchronous
        self.observer = observer
        self.isSending = isSending
    }

    /// Creates the instance that a resolve call would get, if it does not exist and takes no arguments.
    func create(
        _ registration: AnyServiceRegistration, _ resolution: Resolution, isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) {}

    /// Whether a resolve call through a container would find an instance; with arguments, for any of them.
    func hasInstance(in container: DependencyContainer) -> Bool { false }
}

/// How a service is created from its arguments, and where its instances are.
///
/// Fast paths are decided here, once: each is a property that is nil if the path cannot be taken. They do not tell observers, so an
/// observed service has none of them.
@usableFromInline
// Unchecked as the base class.
final class ServiceFactory<Service, Arguments>: AnyServiceFactory, @unchecked Sendable {
    /// The closures that create an instance.
    @usableFromInline
    enum Closures {
        case synchronous((DependencyContainer, Arguments) throws -> Service)
        case asynchronous(@Sendable (DependencyContainer, Arguments) async throws -> Service)
        /// Two forms of one factory: for callers that do not suspend, and for callers that do.
        case both(
            (DependencyContainer, Arguments) throws -> Service,
            @Sendable (DependencyContainer, Arguments) async throws -> Service)

        var synchronous: ((DependencyContainer, Arguments) throws -> Service)? {
            switch self {
            case .synchronous(let create), .both(let create, _): create
            case .asynchronous: nil
            }
        }

        var asynchronous: (@Sendable (DependencyContainer, Arguments) async throws -> Service)? {
            switch self {
            case .asynchronous(let create), .both(_, let create): create
            case .synchronous: nil
            }
        }
    }

    let closures: Closures
    let completion: ((Service, DependencyContainer) throws -> Void)?
    let hooks: DisposalHooks<Service>?
    /// Where instances are; nil if each resolve call gets one of its own.
    let instances: Instances<Service, Arguments>?

    /// Fast path: an instance per resolve call, created by this closure and nothing else.
    @usableFromInline
    let transientClosure: ((DependencyContainer, Arguments) throws -> Service)?
    /// Fast path: the single flight of the owner's instance, under whose address each container keeps its own.
    @usableFromInline
    let scopedUnder: SingleFlight?
    /// Fast path: an instance per container, created by this closure and kept until the container ends.
    @usableFromInline
    let scopedClosure: ((DependencyContainer, Arguments) throws -> Service)?
    /// Fast path: where the only instance stays until the registration ends.
    let singletonPointer: InstancePointer?

    init(
        _ closures: Closures, lifetime: Lifetime, requirements: [Requirement]? = nil,
        completion: ((Service, DependencyContainer) throws -> Void)? = nil, hooks: DisposalHooks<Service>? = nil,
        hashable: ((Arguments) -> [AnyHashable])? = nil, decorated: Disposals? = nil,
        observer: (any DependencyObserver)? = nil, isSending: Bool = false
    ) {
        self.closures = closures
        self.completion = completion
        self.hooks = hooks
        let sharing = lifetime.policy.sharing.kind
        let ownsInstances = hooks != nil && sharing.ownership != .caller
        let disposals = ownsInstances || decorated != nil ? Disposals(decorating: decorated) : nil
        instances = sharing.instances(
            InstancesSetup(lifetime: lifetime, disposals: disposals, hasHooks: hooks != nil, hashable: hashable),
            of: Service.self)
        let create = observer == nil ? closures.synchronous : nil
        transientClosure = instances == nil && completion == nil ? create : nil
        scopedUnder = observer == nil ? instances?.scopedUnder : nil
        let isOnlyKept = scopedUnder != nil && completion == nil && hooks == nil && lifetime.isPermanent
        scopedClosure = isOnlyKept ? create : nil
        singletonPointer = observer == nil ? instances?.permanentInstance : nil
        super.init(
            lifetime: lifetime, requirements: requirements, disposals: disposals,
            isAsynchronous: closures.synchronous == nil, observer: observer, isSending: isSending)
    }

    /// Of an instance that exists and is observed.
    convenience init(holding instance: Service, _ observer: any DependencyObserver) {
        self.init(.synchronous { _, _ in instance }, lifetime: .eager, requirements: [], observer: observer)
    }

    override func create(
        _ registration: AnyServiceRegistration, _ resolution: Resolution, isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) {
        guard let arguments = () as? Arguments, let registration = registration as? ServiceRegistration<Service> else {
            return
        }
        _ = try await unobservedInstance(suspending: ServiceKey(of: registration), arguments, resolution)
    }

    override func hasInstance(in container: DependencyContainer) -> Bool {
        instances?.hasInstance(in: container) ?? lifetime.policy.sharing.kind.isEager
    }

    /// Keeps a complete instance, and notes its disposal.
    ///
    /// Not if the creation was abandoned, or if the container or the registration ended, or was reset, during the creation: then no
    /// later caller gets the instance, and it is disposed of. Callers that asked before a removal or a reset get it all the same.
    func keep(
        _ instance: Service, in place: InstancePlace<Service>, _ creation: InFlightCreation
    ) throws(DependencyError) {
        let storage = place.shared.storage
        if let error = place.shared.singleFlight.claim(creation) {
            if let hooks { creation.disposeLater(Disposal(hooks, for: instance, mark: 0)) }
            throw error
        }
        guard let hooks, let disposals = place.disposals else {
            if place.container.hasEnded { throw DependencyError(.shutDown, creation.identity, trail: creation.trail) }
            return storage.store(instance)
        }
        let disposal = Disposal(hooks, for: instance, mark: storage.mark)
        let state = place.container.state
        guard state.add(disposal) else {
            creation.disposeLater(disposal)
            throw DependencyError(.shutDown, creation.identity, trail: creation.trail)
        }
        guard disposals.add(disposal, of: state) else {
            if state.forget(disposal) { creation.disposeLater(disposal) }
            // For callers that found the registration before it was removed: they share one instance too. A storage that was reset
            // takes nothing from before.
            return storage.store(instance)
        }
        storage.store(instance)
        // The instance that the storage held before has no other end than this.
        if let last = storage.lastDisposal, disposals.forget(last) { creation.disposeLater(last) }
        storage.lastDisposal = disposal
    }
}
