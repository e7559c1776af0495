import Foundation
import Hopoate

/// How a closure ended that was run so that failures do not end the process.
enum Outcome<Output> {
    case over(Result<Output, any Error>)
    /// It was given up in the middle.
    case failed(DependencyError)
}

// Unchecked. Sound, because one task hands it to another one, which was suspended meanwhile.
extension Outcome: @unchecked Sendable {}

/// A closure that is handed from one task to another one, which is suspended meanwhile.
// Unchecked, because the closure need not be Sendable. Sound, because at most one of the two runs it, or runs at all.
struct Handed<Output>: @unchecked Sendable {
    let body: () async throws -> Output

    init(_ body: @escaping () async throws -> Output) {
        self.body = body
    }
}

/// Runs a closure on a thread of ours, so that it can be given up where it fails: a service is missing, creators ask for each
/// other. Then the thread is parked, the tasks that the closure started are cancelled, and this returns.
///
/// The closure has all task-locals, and is cancelled where the caller is. Where it fails on a thread that is not ours (the
/// main one, one of a detached task), the process ends as it would have anyway.
///
/// - Parameters:
///   - handed: What to run.
///   - onFailure: Gets each error but the one that is the outcome, in the task that made the mistake.
/// - Returns: How it ended.
func attempt<Output>(
    _ handed: Handed<Output>, onFailure: @escaping @Sendable (DependencyError) -> Void = { _ in }
) async -> Outcome<Output> {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else {
        return await DependencyContainer.withFailureHandler(onFailure) { await outcome(of: handed) }
    }
    let attempt = Attempt<Output>()
    return await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
            attempt.begin(continuation)
            let task = Task(executorPreference: WorkerPool.shared) {
                // Before anything runs, whoever is faster.
                if attempt.isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
                let ended = await DependencyContainer.withFailureHandler { error in
                    guard WorkerPool.isRunningThis else { return onFailure(error) }
                    // The caller hears of the first failure by the outcome, of others here.
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

/// Who waits for a closure, and the task that runs it.
// Unchecked, because of the variables. Sound, because they are used under the lock only.
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

    /// Lets the waiter go on, unless it was told an outcome before.
    ///
    /// - Returns: Whether it was told this one.
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
