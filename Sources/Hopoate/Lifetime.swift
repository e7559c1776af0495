/// How long a service lives: the policy and the storage that goes with it, in one place.
///
/// Immutable, so that a registration is published whole and copying it is all that a read section has to do.
@frozen
@usableFromInline
enum Lifetime<Service: ~Copyable>: ~Copyable {
    /// One instance, made before it was registered. It lives as long as the registration does.
    case eager(Service)
    /// A new instance each time. It lives as long as whoever asked for it keeps it.
    case transient(() -> Service)

    /// Lends the instance, where one exists already, in place: nothing is copied.
    @inlinable
    @inline(__always)
    borrowing func withInstance<Output, Failure: Error>(
        _ body: (borrowing Service) throws(Failure) -> Output
    ) throws(Failure) -> Output? {
        switch self {
        case .eager(let instance): try body(instance)
        case .transient: nil
        }
    }
}

extension Lifetime: Copyable where Service: Copyable {}

extension Lifetime {
    /// What `cacheService` means: whether the creator runs once, now, or each time somebody asks.
    @inlinable
    init(cached: Bool, creator: @escaping () -> Service) {
        self = cached ? .eager(creator()) : .transient(creator)
    }

    /// The instance, where one exists already.
    @inlinable
    @inline(__always)
    var instance: Service? {
        if case .eager(let instance) = self { instance } else { nil }
    }

    /// What makes an instance, where none exists yet. User code: never called inside a read section.
    @inlinable
    @inline(__always)
    var creator: (() -> Service)? {
        if case .transient(let creator) = self { creator } else { nil }
    }
}
