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
    static var current: DependencyContainer { defaultUnlessOverridden ?? currentSlow }

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
        announceOverride()
        let binding = Override.Binding(container)
        return try Override.$binding.withValue(
            binding,
            operation: {
                // Inside a factory, the frame of that would stand before the task-local.
                var frame = ResolutionStack.Frame(override: container, inside: innermostFrame)
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
        announceOverride()
        let binding = Override.Binding(container, frame: innermostFrame.map { UInt(bitPattern: $0) })
        return try await Override.$binding.withValue(
            binding, operation: operation, isolation: isolation, file: file, line: line)
    }
}
