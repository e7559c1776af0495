/// A container that is known but not kept alive.
///
/// The container of the process lives for ever, and it is laid out without a reference count that threads would fight over: the
/// first weak reference to it would give it one. So it is never referred to weakly.
final class WeakContainer: Sendable {
    private let isProcess: Bool
    // Only the runtime changes it, and it does so for any thread.
    nonisolated(unsafe) private weak var other: DependencyContainer?

    init(_ container: DependencyContainer) {
        isProcess = container === DependencyContainer.process
        if !isProcess { other = container }
    }

    /// The container; nil where it does not exist any more.
    var container: DependencyContainer? { isProcess ? .process : other }
}
