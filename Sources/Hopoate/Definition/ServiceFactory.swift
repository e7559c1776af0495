/// How a service is created, without the types of the service and of its arguments.
@usableFromInline
// Unchecked, because some forms of `register` take factories and hooks that need not be Sendable. By their contract, these run
// on any thread that resolves the service. All properties are immutable.
class AnyServiceFactory: @unchecked Sendable {
    final let lifetime: Lifetime
    /// The parameters of the initializer; nil if they are not known.
    final let requirements: [Requirement]?
    /// The disposals of the instances that the registration owns; nil if it has no hooks, or if the instances are owned elsewhere.
    final let disposals: Disposals?
    /// The observer of resolve calls and creations; nil if there is none.
    final let observer: (any DependencyObserver)?
    /// Whether an observer or a record measures the creations.
    final let isMeasured: Bool
    /// Whether the compiler has checked that nothing else refers to a new instance.
    final let isSending: Bool
    /// Whether a closure completes each new instance, of this service or of one that it decorates.
    final let hasCompletion: Bool
    /// Fast path for scoped services: the slot in which each child container keeps its own instance, if it has one.
    final let scopePlace: ScopePlace
    /// Whether the factory decorates another service. Then the requirements are those of that service, and the decorator may use more.
    final let isDecorator: Bool
    // The last ones, next to the first ones of the subclass: each creation reads them, and so they are in one cache line more often.
    final let isAsynchronous: Bool
    /// Whether the factory has a form that suspends and one that does not.
    final let hasBothForms: Bool
    /// Makes a registration of the same definition without instances, for a container that allows commits; nil for others. Set before the
    /// registration can be found.
    final var renew: ((DependencyContainer) -> AnyServiceRegistration)?

    init<Service, Arguments>(
        _ definition: ServiceDefinition<Service, Arguments>, disposals: Disposals?, scopePlace: ScopePlace
    ) {
        lifetime = definition.lifetime
        requirements = definition.requirements
        self.disposals = disposals
        isAsynchronous = definition.closures.synchronous == nil
        hasBothForms = !isAsynchronous && definition.closures.asynchronous != nil
        observer = definition.observer
        isMeasured = definition.isWatched
        isSending = definition.isSending
        hasCompletion = definition.completion != nil || definition.decorated?.factory?.hasCompletion ?? false
        isDecorator = definition.decorated != nil
        self.scopePlace = scopePlace
    }

    /// Creates the instance that a resolve call would return, if there is none yet and the factory takes no arguments.
    func createIfMissing(
        _ registration: AnyServiceRegistration, _ resolution: Resolution, isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) {}

    /// Creates the instance of a scoped service that a caller did not find, if this waits for nobody. The factory takes no arguments.
    ///
    /// - Returns: Whether it is there. Otherwise it has to be created by a form that suspends.
    func createScoped(
        _ key: AnyServiceKey, _ resolution: Resolution, _ lookups: inout Int
    ) throws(DependencyError) -> Bool { false }

    /// The record of the creations; nil if they are not recorded.
    var record: (any ServiceRecord)? { nil }

    /// Whether instances have disposal hooks.
    var hasHooks: Bool { false }

    /// Returns whether a resolve call would find an instance. If the factory takes arguments: for any of them.
    func hasInstance(for resolution: Resolution) -> Bool { false }
}

/// How a service is created from its arguments, and where its instances are.
///
/// The initializer decides which fast paths a resolve call may take. Each is a property, which is nil if the path cannot be taken.
/// Fast paths bypass observers, so an observed service has none.
// Unchecked for the same reason as the base class.
final class ServiceFactory<Service, Arguments>: AnyServiceFactory, @unchecked Sendable {
    /// The closures that create an instance.
    enum Closures {
        case synchronous((DependencyContainer, Arguments) throws -> Service)
        case asynchronous(@Sendable (DependencyContainer, Arguments) async throws -> Service)
        /// Two forms of one factory: for callers that do not suspend, and for those that do.
        case both(
            (DependencyContainer, Arguments) throws -> Service,
            @Sendable (DependencyContainer, Arguments) async throws -> Service)
        /// The two forms of an initializer. The first one gets all arguments by `parameter(_:)`, before any code of the user runs.
        case initializer(
            (DependencyContainer, Arguments) throws -> Service,
            @Sendable (DependencyContainer, Arguments) async throws -> Service)

        var synchronous: ((DependencyContainer, Arguments) throws -> Service)? {
            if case .asynchronous = self { nil } else { direct }
        }

        /// The form that does not suspend. Traps when called if there is none.
        // The same as `synchronous`, but a closure that goes through an optional is wrapped twice.
        var direct: (DependencyContainer, Arguments) throws -> Service {
            switch self {
            case .synchronous(let create), .both(let create, _), .initializer(let create, _): create
            case .asynchronous: { _, _ in preconditionFailure("the factory suspends") }
            }
        }

        var asynchronous: (@Sendable (DependencyContainer, Arguments) async throws -> Service)? {
            switch self {
            case .asynchronous(let create), .both(_, let create), .initializer(_, let create): create
            case .synchronous: nil
            }
        }
    }

    /// Fast path for transient services: whether each resolve call only has to call `directClosure`.
    let isTransient: Bool
    /// Fast path for the creation of scoped services: whether `directClosure` may create them.
    let hasScopedClosure: Bool
    /// Whether a transient service can be created before its dependencies are checked (ServiceFactory+WithoutSuspending.swift).
    let checksParameters: Bool
    /// Creates a transient service, or a scoped one that has such a path. Traps if the factory suspends.
    // Not optional, because each call of an optional closure retains it.
    let directClosure: (DependencyContainer, Arguments) throws -> Service

    let closures: Closures
    let completion: ((Service, DependencyContainer) throws -> Void)?
    let hooks: DisposalHooks<Service>?
    /// The shared instances; nil if each resolve call gets an instance of its own.
    let instances: Instances<Service, Arguments>?

    /// Fast path for scoped services: the key under which each container keeps its own instance.
    let scopedKey: AnyServiceKey?
    /// Fast path for singletons: the address of the instance, which lives as long as the registration.
    let singletonPointer: InstancePointer?
    /// Fast path for services with an instance per argument value: where lookups find it. The instances keep the index alive.
    let keyedIndex: Pinned<KeyedIndex>?
    /// The part of the registration that disposals share; nil if there are no hooks.
    let origin: DisposalOrigin?
    private let creationRecord: (any ServiceRecord)?

    init(_ definition: ServiceDefinition<Service, Arguments>, in container: DependencyContainer? = nil) {
        let (lifetime, hooks, hashable) = (definition.lifetime, definition.hooks, definition.hashable)
        closures = definition.closures
        completion = definition.completion
        self.hooks = hooks
        if completion != nil { Completions.announce() }
        let sharing = lifetime.policy.sharing.kind
        let ownsInstances = hooks != nil && sharing.ownership != .caller
        let decorated = definition.decorated?.disposals
        let disposals = ownsInstances || decorated != nil ? Disposals(decorating: decorated) : nil
        let fitsIntoSlot = sharing.usesScopeSlots && lifetime.isPermanent && hooks == nil && hashable == nil
        instances =
            sharing.isShared
            ? Instances(
                lifetime, sharing, disposals: disposals, hasHooks: hooks != nil,
                scopeIndex: fitsIntoSlot ? container.flatMap { ScopeIndex(in: $0) } : nil, hashable: hashable)
            : nil
        let isObserved = definition.observer != nil
        let isDirect = !isObserved && completion == nil && closures.synchronous != nil
        isTransient = isDirect && instances == nil
        checksParameters = if case .initializer = closures { isTransient } else { false }
        scopedKey = isObserved ? nil : instances?.scopedKey
        hasScopedClosure = isDirect && fitsIntoSlot
        directClosure = closures.direct
        singletonPointer = isObserved ? nil : instances?.permanentInstance
        keyedIndex = isObserved ? nil : instances?.keyedIndex
        origin = definition.origin
        creationRecord = definition.record
        super.init(
            definition, disposals: disposals, scopePlace: isObserved ? .none : instances?.scopePlace ?? .none)
    }

    override func createIfMissing(
        _ registration: AnyServiceRegistration, _ resolution: Resolution, isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) {
        guard let arguments = () as? Arguments, let registration = registration as? ServiceRegistration<Service> else {
            return
        }
        _ = try await resolveUnobserved(suspending: ServiceKey(of: registration), arguments, resolution)
    }

    override func createScoped(
        _ key: AnyServiceKey, _ resolution: Resolution, _ lookups: inout Int
    ) throws(DependencyError) -> Bool {
        guard Arguments.self == Void.self else { return false }
        // The types are the same.
        let arguments = unsafeBitCast((), to: Arguments.self)
        return try createScoped(ServiceKey(key), arguments, resolution, &lookups)
    }

    override func hasInstance(for resolution: Resolution) -> Bool {
        instances?.hasInstance(for: resolution) ?? lifetime.isEager
    }

    /// Returns the instance that a resolve call would find; nil if it would create one, or if the factory takes arguments.
    func existingInstance(for resolution: Resolution) -> Service? {
        if let instances { return instances.existing(for: resolution) }
        // The factory of an observed instance returns it.
        guard lifetime.isEager, let arguments = () as? Arguments else { return nil }
        return try? closures.synchronous?(resolution.container, arguments)
    }

    override var record: (any ServiceRecord)? { creationRecord }

    override var hasHooks: Bool { hooks != nil }
}

/// Whether any service of this process was ever registered with a completion. If not, no dependency needs to be searched.
enum Completions {
    private static let count = SharedCounter()

    static var exist: Bool { count.value != 0 }

    static func announce() { if !exist { count.increment() } }
}
