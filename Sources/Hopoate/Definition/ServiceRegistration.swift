/// The base class of ``ServiceRegistration``, without its type parameter. You get one from `register`, and cannot create one yourself.
///
/// - Note: Concurrency. Immutable and thread-safe.
public class AnyServiceRegistration {
    /// The key of the registration.
    @usableFromInline
    final let key: AnyServiceKey

    /// Keeps the name of the service alive, because the key holds its address; nil if nothing has to.
    // Not the name itself: to end an optional structure takes a call.
    private let nameOwner: AnyObject?

    /// The place of the `register` call; nil if it is not known.
    final let callSite: CallSite?

    // The flags are set before the registration can be found. They use padding.

    /// Whether the registration was to replace others, but its container had none of its key.
    final var replacesNothing = false

    /// Whether the registration decorates another one of the same key.
    final var isDecorator = false

    /// Whether an eager factory has made the instance, from services that are not known any more.
    final var isMadeByFactory = false

    /// The disposals to run when the registration leaves its container; nil if there are no hooks.
    final let disposals: Disposals?

    /// The factory; nil if the instance exists already, or if a plain closure creates it.
    final let factory: AnyServiceFactory?

    /// The place of the registration among those of its container: later ones have greater numbers. The registry sets it before the
    /// registration can be found, and nothing changes it afterwards.
    final var number = 0

    @usableFromInline
    init(
        _ key: AnyServiceKey, name: DependencyName?, callSite: CallSite?, disposals: Disposals?,
        factory: AnyServiceFactory? = nil
    ) {
        self.key = key
        nameOwner = name?.owner
        self.callSite = callSite
        self.disposals = disposals
        self.factory = factory
    }

    package final var identity: ServiceIdentity { ServiceIdentity(key) }

    /// The lifetime of the service.
    var lifetimeOfService: Lifetime { .eager }

    /// Whether the factory creates a singleton. An instance that was registered as one has no factory.
    package final var isSingleton: Bool { factory?.lifetime.isSingleton ?? false }

    /// Whether lookups find an instance, which lives as long as the registration. Releases nothing, so a read section may ask.
    var hasPermanentInstance: Bool { false }

    /// Whether this is a container's part of a scoped registration that has ended. No resolve call finds it any more.
    var isLeftBehind: Bool { false }
}

/// The token of a registration, with which it can be removed from its container.
///
/// ```swift
/// let registration = container.register(ConsoleLog(), for: (any Log).self)
/// container.remove(registration)
/// ```
///
/// You need not keep a token: the container retains its registrations. As long as you keep one, it keeps the registered instance
/// or factory alive, even after the removal.
///
/// - Note: Concurrency. Immutable and thread-safe.
public class ServiceRegistration<Service: ~Copyable>: AnyServiceRegistration, @unchecked Sendable {
    /// Where lookups find instances by the values of their arguments; nil for other services. The factory keeps the index alive.
    @usableFromInline
    final let keyedIndex: Pinned<KeyedIndex>?

    // The last fields, because lookups also read that of the subclass: all are in one cache line more often.
    @usableFromInline
    final let source: ServiceSource<Service>

    /// Whether the source is an instance.
    // Not computed from the source, because to compare that takes several instructions.
    @usableFromInline
    final let holdsInstance: Bool

    @inlinable
    init(
        _ key: ServiceKey<Service>, _ source: ServiceSource<Service>, _ factory: AnyServiceFactory? = nil,
        name: DependencyName? = nil, callSite: CallSite?, disposals: Disposals? = nil,
        keyedIndex: Pinned<KeyedIndex>? = nil
    ) {
        self.source = source
        holdsInstance = if case .instance = source { true } else { false }
        self.keyedIndex = keyedIndex
        super.init(key.erased, name: name, callSite: callSite, disposals: disposals, factory: factory)
    }

    override final var hasPermanentInstance: Bool {
        switch source {
        case .instance: true
        case .singleton(let pointer): pointer.hasInstance
        case .closure, .transient, .factory: false
        }
    }

    override final var lifetimeOfService: Lifetime {
        switch source {
        case .instance: .eager
        case .closure: .transient
        case .transient, .singleton, .factory: factory?.lifetime ?? .transient
        }
    }
}

/// The registration of an instance.
// A class of its own: to end a registration with an optional instance, code that is not specialised would look up the metadata of the
// optional, which takes as long as the rest.
@usableFromInline
// Unchecked for the same reason as the base class: a service need not be Sendable. The instance never changes.
final class InstanceRegistration<Service: ~Copyable>: ServiceRegistration<Service>, @unchecked Sendable {
    @usableFromInline
    let instance: Service

    @inlinable
    init(
        _ key: ServiceKey<Service>, holding instance: consuming Service, name: DependencyName? = nil,
        callSite: CallSite?, disposals: Disposals? = nil
    ) {
        self.instance = instance
        super.init(key, .instance, name: name, callSite: callSite, disposals: disposals)
    }
}

/// The registration of a closure that takes no container.
// The closure is not in the source: one in an enumeration is retained for each call.
@usableFromInline
// Unchecked for the same reason as the base class. The closure never changes.
final class ClosureRegistration<Service>: ServiceRegistration<Service>, @unchecked Sendable {
    let create: () -> Service

    @usableFromInline
    init(
        _ key: ServiceKey<Service>, _ create: @escaping () -> Service, name: DependencyName? = nil, callSite: CallSite?
    ) {
        self.create = create
        super.init(key, .closure, name: name, callSite: callSite)
    }
}

/// The registration of a factory that creates a new instance for each resolve call, without arguments. It has no disposals: its end may be
/// deferred until a factory returns, and hooks must not wait for that.
// Unchecked for the same reason as the base class. The closure never changes.
final class TransientRegistration<Service>: ServiceRegistration<Service>, @unchecked Sendable {
    let create: (DependencyContainer) throws -> Service

    init(
        _ key: ServiceKey<Service>, _ create: @escaping (DependencyContainer) throws -> Service,
        _ factory: AnyServiceFactory, name: DependencyName?, callSite: CallSite?
    ) {
        self.create = create
        super.init(key, .transient, factory, name: name, callSite: callSite)
    }
}

// Unchecked, because a service need not be Sendable. Sound, because no property changes after the registration is published, and because
// all are hidden from the owner of a token: only containers take the service out, under the rules of `resolve`.
extension AnyServiceRegistration: @unchecked Sendable {}

extension ServiceKey where Service: ~Copyable {
    /// Creates the key of a registration.
    init(of registration: ServiceRegistration<Service>) {
        self.init(registration.key)
    }
}
