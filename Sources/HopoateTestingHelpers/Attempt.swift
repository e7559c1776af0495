import Foundation
import Hopoate

/// How a closure ended that can be abandoned.
enum Outcome<Output> {
    case over(Result<Output, any Error>)
    /// The closure was abandoned because of an error that would have trapped.
    case failed(DependencyError)
}

// Unchecked, because the output need not be Sendable. Sound, because the task that receives it was suspended meanwhile.
extension Outcome: @unchecked Sendable {}

/// A closure that a task passes to the task that it waits for.
// Unchecked, because the closure need not be Sendable. Sound, because at most one of the two tasks runs at a time.
struct Handed<Output>: @unchecked Sendable {
    let body: () async throws -> Output

    init(_ body: @escaping () async throws -> Output) {
        self.body = body
    }
}

/// Runs a closure on a thread of the pool, so that it can be abandoned if it fails: a service is missing, or factories form a
/// cycle. Then the thread is parked, the tasks that the closure started are cancelled, and this returns.
///
/// The closure sees all task-locals, and is cancelled with the caller. If it fails on a thread outside the pool (the main thread,
/// or one of a detached task), the process traps as without this function.
///
/// - Parameters:
///   - handed: The closure.
///   - onFailure: Receives each error except the one in the outcome, in the task that failed.
/// - Returns: How the closure ended.
func attempt<Output>(
    _ handed: Handed<Output>, onFailure: @escaping @Sendable (DependencyError) -> Void
) async -> Outcome<Output> {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else {
        return await DependencyContainer.withFailureHandler(onFailure) { await outcome(of: handed) }
    }
    let attempt = Attempt<Output>()
    return await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
            attempt.begin(continuation)
            let task = Task(executorPreference: WorkerPool.shared) {
                // A cancellation that came before `set(_:)` must take effect before the closure runs.
                if attempt.isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
                let ended = await DependencyContainer.withFailureHandler { error in
                    guard WorkerPool.isRunningThis else { return onFailure(error) }
                    // The caller gets the first failure in the outcome, and later ones here.
                    if !attempt.end(.failed(error)) { onFailure(error) }
                    attempt.cancel()
                    WorkerPool.shared.park()
                } operation: {
                    await outcome(of: handed)
                }
                attempt.end(ended)
            }
            attempt.set(task)
        }
    } onCancel: {
        attempt.cancel()
    }
}

private func outcome<Output>(of handed: Handed<Output>) async -> Outcome<Output> {
    do { return .over(.success(try await handed.body())) } catch { return .over(.failure(error)) }
}

/// The waiter for a closure, and the task that runs the closure.
// Unchecked, because of the variables. Sound, because they are accessed under the lock only.
private final class Attempt<Output>: @unchecked Sendable {
    private let lock = NSLock()
    private var continuation: CheckedContinuation<Outcome<Output>, Never>?
    private var task: Task<Void, Never>?
    private var wasCancelled = false

    var isCancelled: Bool { lock.withLock { wasCancelled } }

    func begin(_ continuation: CheckedContinuation<Outcome<Output>, Never>) {
        lock.withLock { self.continuation = continuation }
    }

    func set(_ task: Task<Void, Never>) {
        let isCancelled = lock.withLock {
            self.task = task
            return wasCancelled
        }
        if isCancelled { task.cancel() }
    }

    func cancel() {
        let task = lock.withLock {
            wasCancelled = true
            return self.task
        }
        task?.cancel()
    }

    /// Resumes the waiter, unless it has an outcome already.
    ///
    /// - Returns: Whether it got this outcome.
    @discardableResult
    func end(_ outcome: Outcome<Output>) -> Bool {
        let continuation = lock.withLock {
            defer { self.continuation = nil }
            return self.continuation
        }
        continuation?.resume(returning: outcome)
        return continuation != nil
    }
}
