/// What all registrations have in common, whatever their service is.
///
/// You get it from ``ServiceRegistration``, whose base it is, and never make one.
///
/// - Note: Concurrency. Immutable; from any thread.
public class AnyServiceRegistration {
    /// The key that it is registered under.
    @usableFromInline
    final let key: AnyServiceKey

    /// Keeps the name alive whose address is in the key.
    final let nameOfService: DependencyName?

    /// Where it was made; nil where that was a place that cannot be named.
    final let callSite: CallSite?

    /// What is to be done when the registration leaves its container; nil where there is nothing.
    final let disposals: Disposals?

    @usableFromInline
    init(
        _ key: AnyServiceKey, name: DependencyName?, callSite: CallSite?, disposals: Disposals?
    ) {
        self.key = key
        nameOfService = name
        self.callSite = callSite
        self.disposals = disposals
    }

    final var identity: ServiceIdentity { ServiceIdentity(key) }

    /// What makes the service; nil where it exists already, or where a creator without any ceremony does.
    var factory: AnyServiceFactory? { nil }

    /// How long the service lives.
    var lifetimeOfService: Lifetime { .eager }
}

/// The token of a registration, by which it can be taken out of its container again.
///
/// ```swift
/// let registration = container.register(ConsoleLog(), for: (any Log).self)
/// container.remove(registration)
/// ```
///
/// A token keeps what was registered alive for as long as you hold it, also after its removal. You need not keep one: the
/// container holds on to its registrations by itself.
///
/// - Note: Concurrency. Immutable; a token may be kept, passed on and removed from any thread.
public final class ServiceRegistration<Service: ~Copyable>: AnyServiceRegistration, @unchecked Sendable {
    @usableFromInline
    let source: ServiceSource<Service>

    @inlinable
    init(
        _ key: ServiceKey<Service>, _ source: consuming ServiceSource<Service>, name: DependencyName? = nil,
        callSite: CallSite?, disposals: Disposals? = nil
    ) {
        self.source = source
        super.init(key.erased, name: name, callSite: callSite, disposals: disposals)
    }

    override var factory: AnyServiceFactory? {
        switch source {
        case .transient(_, let factory): factory
        case .singleton(let factory, _): factory
        case .factory(let factory): factory
        default: nil
        }
    }

    override var lifetimeOfService: Lifetime {
        switch source {
        case .instance: .eager
        case .closure: .transient
        case .transient(_, let factory): factory.lifetime
        case .singleton(let factory, _): factory.lifetime
        case .factory(let factory): factory.lifetime
        }
    }
}

// Unchecked, because a service need not be Sendable. Sound, because all of it is immutable and none of it is visible to
// whoever holds a token: only containers take the service out, under the rules of `resolve`.
extension AnyServiceRegistration: @unchecked Sendable {}
