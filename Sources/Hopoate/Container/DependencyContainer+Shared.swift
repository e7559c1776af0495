// `DependencyContainer.shared`, and how a task gets another one.
//
// `$shared.withValue(container) { … }` is public API, and in the standard library's form it makes every read of `shared` a
// task-local read, which costs more than a resolve does and retains the container. So the storage is a type of our own:
//
// - One word for the process says whether an override was ever bound. While none was, it holds the default container, and no
//   task-local is read. Once one was, that stays so: an override may live in a task that outlives the closure.
// - `withValue` raises the flag before it binds. Whoever runs inside the binding is the thread that raised it, or a task
//   that was started by one, so no order stronger than relaxed is needed.
//
// `$shared` has to come from a macro, since no declaration may be spelled so. The expansion of the standard `@TaskLocal`
// names `TaskLocal` without its module, so inside this type it finds the one that is declared below.

extension DependencyContainer {
    /// The container that free functions and property wrappers use: the default one, or the one bound to the current task.
    ///
    /// ```swift
    /// DependencyContainer.shared.register(Polite(), for: (any Greeter).self)
    ///
    /// let other = DependencyContainer()
    /// DependencyContainer.$shared.withValue(other) {
    ///     print(DependencyContainer.shared === other)  // true, here and in the tasks that this task starts
    /// }
    /// ```
    ///
    /// Bindings reach child tasks, `async let`, task groups and `Task { }`. They do not reach where task-locals do not:
    /// `Task.detached`, Dispatch queues, threads, and callbacks of event loops. There, pass the container along and bind it
    /// again, or resolve before you leave.
    ///
    /// - Complexity: One load while no container was ever bound in this process; after that a task-local read.
    /// - Note: Concurrency. From any thread. Parallel tasks do not see each other's bindings.
    @inlinable
    @_Concurrency.TaskLocal public static var shared: DependencyContainer = .process

    /// The container that `shared` is at the moment.
    @inlinable
    @inline(__always)
    static var current: DependencyContainer { undisputedContainer ?? currentSlow }

    /// `current`, if the word does not say it: a factory is running, an override may be bound, or nobody has asked before.
    @usableFromInline
    @inline(never)
    static var currentSlow: DependencyContainer {
        if let container = Override.current { return container }
        if !mayBeOverridden { publish(process) }
        return process
    }

    /// What `DependencyContainer.$shared` is: binds containers to tasks, as the standard library's `TaskLocal` does.
    ///
    /// ```swift
    /// let container = DependencyContainer()
    /// DependencyContainer.$shared.withValue(container) {
    ///     container.register(Polite(), for: (any Greeter).self)
    /// }
    /// ```
    @frozen
    public struct TaskLocal<Value: Sendable>: Sendable {
        /// For the expansion of the macro; there is one `$shared`, and it always stands for the same.
        ///
        /// - Complexity: Constant.
        /// - Note: Concurrency. Stateless.
        @inlinable
        public init(wrappedValue: @autoclosure () -> Value) {}
    }
}

extension DependencyContainer.TaskLocal where Value == DependencyContainer {
    /// The container bound to the current task, else the default one.
    ///
    /// - Returns: What `DependencyContainer.shared` returns.
    /// - Complexity: As `DependencyContainer.shared`.
    /// - Note: Concurrency. From any thread.
    @inlinable
    @inline(__always)
    public func get() -> DependencyContainer { .current }

    /// Runs a closure with another container in the place of `DependencyContainer.shared`.
    ///
    /// - Parameters:
    ///   - container: What `shared` is in the closure and in the tasks that it starts.
    ///   - operation: What to run.
    ///   - file: Where it is bound; filled in by the compiler.
    ///   - line: Where it is bound; filled in by the compiler.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws.
    /// - Complexity: One task-local binding.
    /// - Note: Concurrency. Only the current task, and the tasks it starts meanwhile, see the container.
    @discardableResult
    public func withValue<Output>(
        _ container: DependencyContainer, operation: () throws -> Output, file: String = #fileID, line: UInt = #line
    ) rethrows -> Output {
        raiseOverride()
        let binding = Override.Binding(container)
        return try Override.$binding.withValue(
            binding,
            operation: {
                // Inside a factory, the frame of that would stand before the task-local.
                var frame = Frame(override: container, inside: innermostFrame)
                return try run(in: &frame, operation)
            }, file: file, line: line)
    }

    /// Runs an asynchronous closure with another container in the place of `DependencyContainer.shared`.
    ///
    /// - Parameters:
    ///   - container: What `shared` is in the closure and in the tasks that it starts.
    ///   - operation: What to run.
    ///   - isolation: The actor to run it on, which is the caller's; filled in by the compiler.
    ///   - file: Where it is bound; filled in by the compiler.
    ///   - line: Where it is bound; filled in by the compiler.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws.
    /// - Complexity: One task-local binding.
    /// - Note: Concurrency. Only the current task, and the tasks it starts meanwhile, see the container.
    @discardableResult
    public func withValue<Output>(
        _ container: DependencyContainer, operation: () async throws -> Output,
        isolation: isolated (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line
    ) async rethrows -> Output {
        raiseOverride()
        let binding = Override.Binding(container, frame: innermostFrame.map { UInt(bitPattern: $0) })
        return try await Override.$binding.withValue(
            binding, operation: operation, isolation: isolation, file: file, line: line)
    }
}

/// Whether `shared` may be another container than the default one here.
@inlinable
@inline(__always)
var isSharedInDoubt: Bool { innermostFrame != nil || mayBeOverridden }

/// What `shared` is while it is not simply the default container.
///
/// Two things say so, and the inner one of them counts: frames on the stack of the thread (a factory of a service that belongs
/// to a container, a synchronous `$shared.withValue`), and the task-local, which is all that the tasks see that code starts.
@usableFromInline
enum Override {
    struct Binding: Sendable {
        private let kept: DependencyContainer?
        /// The container of a factory, which its tasks may outlive: they must not keep it alive.
        private let owner: ContainerReference?
        /// The innermost frame where an asynchronous closure was bound, in a task that started inside a factory.
        let frame: UInt?

        init(_ container: DependencyContainer, frame: UInt? = nil) {
            kept = container
            owner = nil
            self.frame = frame
        }

        init(owner: DependencyContainer, frame: UInt? = nil) {
            kept = nil
            self.owner = ContainerReference(owner)
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
        return Frame.shared(unlessBoundIn: binding?.frame) ?? binding?.container
    }

    /// The container that the innermost `$shared.withValue` around this code was given, whatever factories run inside of it.
    static var bound: DependencyContainer? { Frame.override ?? (mayBeOverridden ? binding?.container : nil) }

    /// Runs a closure of ours with a container as `shared` in its task, and in those that it starts. The caller keeps it alive.
    static func bind<Output>(
        _ container: DependencyContainer, isolation: isolated (any Actor)? = #isolation,
        _ operation: () async -> Output
    ) async -> Output {
        if container === DependencyContainer.process, !mayBeOverridden { return await operation() }
        raiseOverride()
        let binding = Binding(owner: container, frame: innermostFrame.map { UInt(bitPattern: $0) })
        return await $binding.withValue(binding, operation: operation)
    }

    /// As the other form, for a closure that does not suspend.
    static func bind<Output>(_ container: DependencyContainer, _ operation: () -> Output) -> Output {
        if container === DependencyContainer.process, !mayBeOverridden { return operation() }
        raiseOverride()
        return $binding.withValue(Binding(owner: container), operation: operation)
    }
}
