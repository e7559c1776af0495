/// The override of `shared` for the running code, if there is one.
///
/// An override is recorded in two places, and the inner one counts:
///
/// 1. A frame on the stack of the thread: of a factory whose service belongs to a container, or of a synchronous
///    `$shared.withValue`.
/// 2. A task-local. The tasks that the code starts see nothing else.
@usableFromInline
enum Override {
    /// The value of the task-local. While a binding exists, `shared` counts as overridden.
    ///
    /// A task that can see a binding retains it, or runs inside a task or a closure that does. So the deinitializer runs after all code
    /// under the binding has ended.
    final class Binding: Sendable {
        private let kept: DependencyContainer?
        /// The container of a factory. Tasks that the factory started may outlive it, so they must not keep the container alive.
        private let owner: WeakContainer?
        /// The innermost frame at the time of the binding, if an asynchronous closure was bound inside a synchronous factory. The
        /// binding is inside that frame, and outside all later ones.
        let frame: UInt?

        init(_ container: DependencyContainer, frame: UInt? = nil) {
            kept = container
            owner = nil
            self.frame = frame
            beginOverride()
        }

        /// Makes the binding of a factory's container; nil if `shared` is that container already, because nothing overrides it.
        static func ofOwner(_ owner: DependencyContainer, frame: UInt? = nil) -> Binding? {
            if owner === DependencyContainer.process, !mayBeOverridden { return nil }
            return Binding(owner: owner, frame: frame)
        }

        private init(owner: DependencyContainer, frame: UInt?) {
            kept = nil
            self.owner = WeakContainer(owner)
            self.frame = frame
            beginOverride()
        }

        deinit { endOverride() }

        /// The container. If a task has outlived the container of its factory, this is a container that was shut down.
        var container: DependencyContainer { kept ?? owner?.container ?? Override.gone }
    }

    /// Stands in for a container that no longer exists.
    private static let gone: DependencyContainer = {
        let container = DependencyContainer()
        container.beginShutdown()
        return container
    }()

    private static var binding: Binding? { mayBeOverridden ? TaskContext.current.override : nil }

    /// The container that overrides `shared` here; nil for the default one. Reads no task-local while there is no override in the process.
    static var current: DependencyContainer? {
        let binding = Self.binding
        return ResolutionStack.shared(unlessBoundIn: binding?.frame) ?? binding?.container
    }

    /// The container of the innermost `$shared.withValue` around this code. Factories that run inside it do not change this.
    static var bound: DependencyContainer? { ResolutionStack.override ?? binding?.container }
}
