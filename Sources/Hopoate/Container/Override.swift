/// What `shared` is while it is not simply the default container.
///
/// Two things say so, and the inner one of them counts: frames on the stack of the thread (a factory of a service that belongs
/// to a container, a synchronous `$shared.withValue`), and the task-local, which is all that the tasks see that code starts.
@usableFromInline
enum Override {
    struct Binding: Sendable {
        private let kept: DependencyContainer?
        /// The container of a factory, which its tasks may outlive: they must not keep it alive.
        private let owner: WeakContainer?
        /// The innermost frame where an asynchronous closure was bound, in a task that started inside a factory.
        let frame: UInt?

        init(_ container: DependencyContainer, frame: UInt? = nil) {
            kept = container
            owner = nil
            self.frame = frame
        }

        init(owner: DependencyContainer, frame: UInt? = nil) {
            kept = nil
            self.owner = WeakContainer(owner)
            self.frame = frame
        }

        /// The container. For a task that outlives the owner of its factory, one that has been shut down as that has.
        var container: DependencyContainer { kept ?? owner?.container ?? Override.gone }
    }

    /// What `shared` is where the container does not exist any more.
    private static let gone: DependencyContainer = {
        let container = DependencyContainer()
        container.beginShutdown()
        return container
    }()

    @_Concurrency.TaskLocal
    static var binding: Binding?

    /// The container that is bound here; nil for the default one. Never looked for in a task-local before the flag is raised.
    static var current: DependencyContainer? {
        let binding = mayBeOverridden ? self.binding : nil
        return ResolutionStack.shared(unlessBoundIn: binding?.frame) ?? binding?.container
    }

    /// The container that the innermost `$shared.withValue` around this code was given, whatever factories run inside of it.
    static var bound: DependencyContainer? { ResolutionStack.override ?? (mayBeOverridden ? binding?.container : nil) }

    /// Runs a closure of ours with a container as `shared` in its task, and in those that it starts. The caller keeps it alive.
    static func bind<Output>(
        _ container: DependencyContainer, isolation: isolated (any Actor)? = #isolation,
        _ operation: () async -> Output
    ) async -> Output {
        if container === DependencyContainer.process, !mayBeOverridden { return await operation() }
        announceOverride()
        let binding = Binding(owner: container, frame: innermostFrame.map { UInt(bitPattern: $0) })
        return await $binding.withValue(binding, operation: operation)
    }

    /// As the other form, for a closure that does not suspend.
    static func bind<Output>(_ container: DependencyContainer, _ operation: () -> Output) -> Output {
        if container === DependencyContainer.process, !mayBeOverridden { return operation() }
        announceOverride()
        return $binding.withValue(Binding(owner: container), operation: operation)
    }
}
