/// What all registrations have in common, whatever their service is.
///
/// You get it from ``ServiceRegistration``, whose base it is, and never make one.
///
/// - Note: Concurrency. Immutable; from any thread.
public class AnyServiceRegistration {
    @usableFromInline
    let type: UInt
    @usableFromInline
    let discriminator: UInt

    /// Keeps the name alive that the discriminator is the identity of.
    final let nameOfService: DependencyName?

    /// Where it was made; nil where that was a place that cannot be named.
    final let callSite: CallSite?

    /// What is to be done when the registration leaves its container; nil where there is nothing.
    final let disposals: Disposals?

    @usableFromInline
    init(
        type: UInt, discriminator: UInt, name: DependencyName?, callSite: CallSite?, disposals: Disposals?
    ) {
        self.type = type
        self.discriminator = discriminator
        nameOfService = name
        self.callSite = callSite
        self.disposals = disposals
    }

    final var subject: Subject { Subject(type: type, discriminator: discriminator) }

    /// What makes the service; nil where it exists already, or where a creator without any ceremony does.
    var recipe: AnyRecipe? { nil }

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
        super.init(
            type: key.type, discriminator: key.discriminator, name: name, callSite: callSite, disposals: disposals)
    }

    override var recipe: AnyRecipe? {
        switch source {
        case .factory(_, let recipe): recipe
        case .once(let recipe, _): recipe
        case .recipe(let recipe): recipe
        default: nil
        }
    }

    override var lifetimeOfService: Lifetime {
        switch source {
        case .instance: .eager
        case .creator: .transient
        case .factory(_, let recipe): recipe.lifetime
        case .once(let recipe, _): recipe.lifetime
        case .recipe(let recipe): recipe.lifetime
        }
    }
}

// Unchecked, because a service need not be Sendable. Sound, because all of it is immutable and none of it is visible to
// whoever holds a token: only containers take the service out, under the rules of `resolve`.
extension AnyServiceRegistration: @unchecked Sendable {}
