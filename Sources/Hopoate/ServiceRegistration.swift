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
public final class ServiceRegistration<Service: ~Copyable> {
    @usableFromInline
    let lifetime: Lifetime<Service>

    @inlinable
    init(_ lifetime: consuming Lifetime<Service>) {
        self.lifetime = lifetime
    }
}

// Unchecked, because a service need not be Sendable. Sound, because all of it is immutable and none of it is visible to
// whoever holds a token: only containers take the service out, under the rules of `resolve`.
extension ServiceRegistration: @unchecked Sendable where Service: ~Copyable {}
