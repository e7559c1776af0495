/// One resolve call, as a factory sees it: the container that was asked, and the one where the registration was found.
///
/// It counts no references: the caller holds the container that it asks, which holds its parents, until it has an answer.
@frozen
@usableFromInline
struct Resolution {
    /// The container that was asked.
    @usableFromInline
    unowned(unsafe) let container: DependencyContainer
    /// The container that holds the registration: the one that was asked, or one of its parents.
    @usableFromInline
    unowned(unsafe) let owner: DependencyContainer

    @inlinable
    @inline(__always)
    init(container: DependencyContainer, owner: DependencyContainer) {
        self.container = container
        self.owner = owner
    }
}
