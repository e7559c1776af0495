/// The time of an operation was up.
struct TimedOut: Error {}

/// Returns the result of an operation. When its time is up, cancels the operation and throws `TimedOut`.
///
/// Does not wait for an operation that ignores its cancellation.
func withTimeLimit<Value: Sendable>(
    _ limit: Duration, _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    // A task group would wait for the operation.
    let (results, first) = AsyncStream.makeStream(of: Result<Value, any Error>.self)
    let work = Task(operation: operation)
    Task { first.yield(await work.result) }
    let timer = Task {
        try await Task.sleep(for: limit)
        first.yield(.failure(TimedOut()))
    }
    defer {
        work.cancel()
        timer.cancel()
    }
    for await result in results { return try result.get() }
    throw CancellationError()
}
