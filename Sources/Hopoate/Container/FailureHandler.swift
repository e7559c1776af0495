extension DependencyContainer {
    /// Runs a closure while a handler is told of every error with which this library is about to end the process: a missing
    /// service, a circle of creators, a registration that cannot work.
    ///
    /// ```swift
    /// DependencyContainer.withFailureHandler { error in
    ///     print("about to end: \(error)")  // flush the log
    /// } operation: {
    ///     serve()
    /// }
    /// ```
    ///
    /// When the handler returns, the process ends with the text of the error. A handler may also never return: so a test can be
    /// given up without giving up the process.
    ///
    /// - Parameters:
    ///   - handler: Gets the error, on the thread that made the mistake.
    ///   - operation: What to run.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws.
    /// - Complexity: One task-local binding.
    /// - Note: Concurrency. For the current task and those that it starts.
    public static func withFailureHandler<Output>(
        _ handler: @escaping @Sendable (DependencyError) -> Void, operation: () throws -> Output
    ) rethrows -> Output {
        try FailureHandler.$current.withValue(FailureHandler(handler), operation: operation)
    }

    /// Runs an asynchronous closure while a handler is told of every error with which this library is about to end the process.
    ///
    /// - Parameters:
    ///   - handler: Gets the error, on the thread that made the mistake.
    ///   - isolation: The actor to run the closure on, which is the caller's; filled in by the compiler.
    ///   - operation: What to run.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws.
    /// - Complexity: One task-local binding.
    /// - Note: Concurrency. For the current task and those that it starts.
    public static func withFailureHandler<Output>(
        _ handler: @escaping @Sendable (DependencyError) -> Void, isolation: isolated (any Actor)? = #isolation,
        operation: () async throws -> Output
    ) async rethrows -> Output {
        try await FailureHandler.$current.withValue(FailureHandler(handler), operation: operation, isolation: isolation)
    }
}

/// A failure handler, as a task keeps it.
// An object: the optimizer of Swift 6.3 makes mistakes with a task-local closure that is bound inside of another binding.
final class FailureHandler: Sendable {
    @TaskLocal
    static var current: FailureHandler?

    private let handle: @Sendable (DependencyError) -> Void

    init(_ handle: @escaping @Sendable (DependencyError) -> Void) {
        self.handle = handle
    }

    func callAsFunction(_ error: DependencyError) { handle(error) }
}
