// `DependencyContainer.shared`, and how a task overrides it.
//
// `$shared.withValue(container) { … }` is public API. With the standard library's `TaskLocal`, each read of `shared` would be a
// task-local read, which costs more than a resolve call and retains the container. So `shared` has a storage type of its own:
//
// - One word for the process counts the overrides. While there are none, the word holds the default container, and no task-local
//   is read.
// - An override may live on in a task that outlives the closure. So the bound value is an object: its initializer counts the override,
//   and its deinitializer, which runs when no task can see it any more, ends it. CSupport.h has the argument.
//
// `$shared` has to come from a macro, because no declaration may have such a name. The expansion of the standard `@TaskLocal`
// macro names `TaskLocal` without its module. Inside this type, that is the `TaskLocal` declared below.

extension DependencyContainer {
    /// The container that free functions and property wrappers use: the one bound to the current task, or the default one.
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
    /// A binding is inherited by child tasks, `async let`, task groups and `Task { }`; parallel tasks do not see it. Like every
    /// task-local, it does not reach `Task.detached`, Dispatch queues, threads, or callbacks of event loops. For those, pass the
    /// container along and bind it again, or resolve the services beforehand.
    ///
    /// - Complexity: One load while no container is bound anywhere in the process, and a task-local read otherwise.
    @inlinable
    @_Concurrency.TaskLocal public static var shared: DependencyContainer = .process

    /// The container that `shared` currently is.
    @inlinable
    @inline(__always)
    static var current: DependencyContainer {
        publishedUnlessOverridden(as: DependencyContainer.self) ?? currentSlow
    }

    /// The slow path of `current`: a factory is running, `shared` may be overridden, or this is its first use.
    @usableFromInline
    @inline(never)
    static var currentSlow: DependencyContainer {
        if let container = Override.current { return container }
        publishForEver(process)
        return process
    }

    /// The type of `DependencyContainer.$shared`: binds containers to tasks, as the standard library's `TaskLocal` does.
    ///
    /// ```swift
    /// let container = DependencyContainer()
    /// DependencyContainer.$shared.withValue(container) {
    ///     container.register(Polite(), for: (any Greeter).self)
    /// }
    /// ```
    @frozen
    public struct TaskLocal<Value: Sendable>: Sendable {
        /// Used by the expansion of the macro only; the type has no state.
        @inlinable
        public init(wrappedValue: @autoclosure () -> Value) {}
    }
}

extension DependencyContainer.TaskLocal where Value == DependencyContainer {
    /// Returns the container bound to the current task, or the default container.
    ///
    /// - Returns: The same container as `DependencyContainer.shared`.
    /// - Complexity: That of `DependencyContainer.shared`.
    @inlinable
    @inline(__always)
    public func get() -> DependencyContainer { .current }

    /// Runs a closure with another container in place of `DependencyContainer.shared`.
    ///
    /// Only the current task, and the tasks that the closure starts, see this container.
    ///
    /// - Parameters:
    ///   - container: The container that `shared` is meanwhile.
    ///   - operation: The closure to run.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure.
    /// - Complexity: One task-local binding and one allocation. Two writes to a word of the process, which all threads read.
    @discardableResult
    public func withValue<Output>(
        _ container: DependencyContainer, operation: () throws -> Output, file: String = #fileID, line: UInt = #line
    ) rethrows -> Output {
        let context = TaskContext.current.with { $0.override = Override.Binding(container) }
        return try TaskContext.$current.withValue(
            context,
            operation: {
                // Inside a factory, the factory's frame would take precedence over the task-local. So a frame is pushed too.
                var frame = ResolutionStack.Frame(override: container, inside: innermostFrame)
                return try run(in: &frame, operation)
            }, file: file, line: line)
    }

    /// Runs an asynchronous closure with another container in place of `DependencyContainer.shared`, on the caller's actor.
    ///
    /// Parameters are the same as for ``withValue(_:operation:file:line:)``.
    ///
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure.
    /// - Complexity: One task-local binding and one allocation. Two writes to a word of the process, which all threads read.
    @discardableResult
    public func withValue<Output>(
        _ container: DependencyContainer, operation: () async throws -> Output,
        isolation: isolated (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line
    ) async rethrows -> Output {
        let frame = innermostFrame?.identity
        let context = TaskContext.current.with { $0.override = Override.Binding(container, frame: frame) }
        return try await TaskContext.$current.withValue(
            context, operation: operation, isolation: isolation, file: file, line: line)
    }
}
