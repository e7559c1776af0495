import ServiceLifecycle

/// Runs an operation that has a limited time to end after a graceful shutdown has begun.
///
/// - Parameters:
///   - limit: The time limit after the graceful shutdown has begun.
///   - operation: An operation that ends upon a graceful shutdown, or else is cancelled.
///   - onTimeout: Runs after the limit, just before the operation is cancelled.
/// - Throws: The error of the operation, unless it throws because it was cancelled.
func withShutdownLimit(
    _ limit: Duration, operation: @escaping @Sendable () async throws -> Void,
    onTimeout: @escaping @Sendable () -> Void
) async throws {
    enum Outcome {
        case ended, timedOut
    }
    try await withThrowingTaskGroup(of: Outcome.self) { group in
        group.addTask {
            try await operation()
            return .ended
        }
        group.addTask {
            try await gracefulShutdown()
            try await Task.sleep(for: limit)
            return .timedOut
        }
        defer { group.cancelAll() }
        guard case .timedOut = try await group.next() else { return }
        onTimeout()
        group.cancelAll()
        while case .failure? = await group.nextResult() {}
    }
}
