/// One resolve call, as a factory sees it: the container of the call, and the container that holds the registration.
///
/// It counts no references: until it returns, the caller holds the container of the call, which holds its parents.
@frozen
@usableFromInline
struct Resolution {
    /// The container of the resolve call.
    @usableFromInline
    unowned(unsafe) let container: DependencyContainer
    /// The container that holds the registration: the container of the call, or one of its parents.
    @usableFromInline
    unowned(unsafe) let owner: DependencyContainer

    @inlinable
    @inline(__always)
    init(container: DependencyContainer, owner: DependencyContainer) {
        self.container = container
        self.owner = owner
    }
}
