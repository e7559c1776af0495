extension DependencyContainer {
    /// Runs a closure with a handler that is called before this library traps.
    ///
    /// ```swift
    /// DependencyContainer.withFailureHandler { error in
    ///     print("about to end: \(error)")  // flush the log
    /// } operation: {
    ///     serve()
    /// }
    /// ```
    ///
    /// The library traps on a missing service, a circular dependency, or a registration that cannot work. When the handler returns,
    /// the process ends with the text of the error. A handler may also never return: a test can then be given up without ending
    /// the process.
    ///
    /// The handler is used by the current task and by the tasks that the closure starts.
    ///
    /// - Parameters:
    ///   - handler: Gets the error, on the thread that is about to trap.
    ///   - operation: The closure to run.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure.
    /// - Complexity: One task-local binding.
    public static func withFailureHandler<Output>(
        _ handler: @escaping @Sendable (DependencyError) -> Void, operation: () throws -> Output
    ) rethrows -> Output {
        try TaskContext.$current.withValue(context(with: handler), operation: operation)
    }

    /// Runs an asynchronous closure with a handler that is called before this library traps.
    ///
    /// Parameters are the same as for ``withFailureHandler(_:operation:)``. The closure runs on the caller's actor.
    ///
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure.
    /// - Complexity: One task-local binding.
    public static func withFailureHandler<Output>(
        _ handler: @escaping @Sendable (DependencyError) -> Void, isolation: isolated (any Actor)? = #isolation,
        operation: () async throws -> Output
    ) async rethrows -> Output {
        try await TaskContext.$current.withValue(context(with: handler), operation: operation, isolation: isolation)
    }

    private static func context(with handler: @escaping @Sendable (DependencyError) -> Void) -> TaskContext {
        TaskContext.current.with { $0.failureHandler = FailureHandler(handler) }
    }
}

extension DependencyContainer {
    /// Sets the handler that is called before a failed call of this container, or of a child, traps in code that is not inside
    /// ``withFailureHandler(_:operation:)``: in a detached task, on a Dispatch queue, or on another thread.
    package func setFailureHandler(_ handler: @escaping @Sendable (DependencyError) -> Void) {
        let last = state.withAttachment(AttachedFailureHandler.self) {
            exchange(&$0.handler, with: FailureHandler(handler))
        }
        withExtendedLifetime(last) {}
    }

    /// The handler of this container, or that of the nearest parent that has one; nil if there is none.
    var failureHandler: FailureHandler? {
        stateIfAny?.withAttachmentIfAny(AttachedFailureHandler.self) { $0.handler } ?? parent?.failureHandler
    }
}

/// The failure handler of a container.
private struct AttachedFailureHandler: ContainerAttachment {
    var handler: FailureHandler?
}

/// A failure handler of a task or of a container.
final class FailureHandler: Sendable {
    private let handle: @Sendable (DependencyError) -> Void

    init(_ handle: @escaping @Sendable (DependencyError) -> Void) {
        self.handle = handle
    }

    func callAsFunction(_ error: DependencyError) { handle(error) }
}
