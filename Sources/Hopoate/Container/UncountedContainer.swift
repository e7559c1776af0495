/// A reference to a container that another object keeps alive. Copying or dropping this reference counts nothing.
///
/// A resolve call refers to its container and to the parents in this way. A child also refers to its parent in this way: it
/// retains the parent once by `holding(_:)` or `pinning(_:)`, and releases the parent by `releaseWithParents`.
@usableFromInline
typealias UncountedContainer = Uncounted<DependencyContainer>

extension Uncounted where Object == DependencyContainer {
    /// Holds a container until `releaseWithParents`.
    // Not the default container: it lives for ever, but the runtime finds that out on a slow path of each retain and release.
    @inline(__always)
    static func holding(_ container: DependencyContainer) -> Self {
        container.registry.isProcess ? Self(container) : Self(container).retained()
    }

    var container: DependencyContainer { object }

    var parent: UncountedContainer? { with { $0.heldParent } }

    var registry: Registry { with { $0.registry } }

    /// Releases a container that `holding(_:)` or `pinning(_:)` holds.
    ///
    /// If that ends it, its parents end one after the other: a parent that ends inside the end of its child would need a deep stack for
    /// a long chain.
    @inline(__always)  // So that the end of a child of the default container takes no call.
    func releaseWithParents() {
        if !registry.isProcess { releaseCountedWithParents() }
    }

    @inline(never)
    private func releaseCountedWithParents() {
        if isLayer { return unpin() }
        var container = takeRetained()
        // A layer is not held by references.
        while isKnownUniquelyReferenced(&container), let parent = container.heldParent, !parent.isLayer {
            container = parent.container
        }
    }
}
