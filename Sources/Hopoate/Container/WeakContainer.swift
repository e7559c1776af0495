/// A weak reference to a container.
///
/// The default container lives for ever and has a static layout, without a reference count that threads would contend on. The
/// first weak reference would give it one. So no weak reference to the default container is ever made.
package final class WeakContainer: Sendable {
    private let isProcess: Bool
    private let other: WeakReference<DependencyContainer>
    /// The container behind a layer or the container of a commit. It takes over when that one has ended.
    private let base: WeakContainer?

    package convenience init(_ container: DependencyContainer) { self.init(container, isForHandle: false) }

    /// Makes a reference to this very container: if it is a view, the container behind it does not take over.
    static func only(_ container: DependencyContainer) -> WeakContainer {
        WeakContainer(container, isForHandle: false, fallsBack: false)
    }

    /// Makes the reference of a lazy dependency, a provider or a property wrapper, which resolves through it.
    static func ofHandle(to container: DependencyContainer) -> WeakContainer {
        WeakContainer(container, isForHandle: true)
    }

    private init(_ container: DependencyContainer, isForHandle: Bool, fallsBack: Bool = true) {
        isProcess = container === DependencyContainer.process
        if !isProcess { container.registry.noteWeakReference(ofHandle: isForHandle) }
        other = WeakReference(isProcess ? nil : container)
        base = fallsBack ? container.viewedContainer.map { WeakContainer($0, isForHandle: isForHandle) } : nil
    }

    /// The container; nil if it no longer exists, or is about to be released.
    package var container: DependencyContainer? {
        if isProcess { return .process }
        // In this order: see `endsByRelease`.
        guard let container = other.object, !container.registry.isReleased else { return base?.container }
        return container
    }
}
