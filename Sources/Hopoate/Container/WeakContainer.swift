/// A weak reference to a container.
///
/// The default container lives for ever and has a static layout, without a reference count that threads would contend on. The
/// first weak reference would give it one. So no weak reference to the default container is ever made.
final class WeakContainer: Sendable {
    private let isProcess: Bool
    // Set in `init` only; afterwards only the runtime changes it, and weak references are thread-safe.
    nonisolated(unsafe) private weak var other: DependencyContainer?

    init(_ container: DependencyContainer) {
        isProcess = container === DependencyContainer.process
        if !isProcess { other = container }
    }

    /// The container; nil if it no longer exists.
    var container: DependencyContainer? { isProcess ? .process : other }
}
