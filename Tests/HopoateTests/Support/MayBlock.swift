import Foundation
import Testing

/// Runs the tests of a suite on threads that they may block.
///
/// Swift's pool has one thread per processor, and all tests share it: a test that blocks one of its threads delays every test
/// that suspends, and as many such tests as there are processors stop them all.
struct MayBlockTrait: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func scopeProvider(for test: Test, testCase: Test.Case?) -> MayBlockTrait? { testCase == nil ? nil : self }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return try await function() }
        await Turns.shared.take()
        defer { Turns.shared.pass() }
        try await withTaskExecutorPreference(ThreadExecutor.shared) { try await function() }
    }
}

extension Trait where Self == MayBlockTrait {
    /// The tests may block the threads they run on. A task that a test starts with `Task { }` may not.
    static var mayBlock: MayBlockTrait { MayBlockTrait() }
}

/// Fails a test that is about to block a thread of Swift's pool.
func expectMayBlock(_ location: SourceLocation = #_sourceLocation) {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return }
    // A thread that a test starts for itself belongs to no test.
    if Test.current == nil || Thread.isMainThread || ThreadExecutor.isRunningThis { return }
    Issue.record(
        "A thread of the pool is blocked. Give the suite the trait '.mayBlock', or wait in the form with 'await'.",
        sourceLocation: location)
}

/// Runs each job on a thread of its own, which may be blocked.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class ThreadExecutor: TaskExecutor {
    static let shared = ThreadExecutor()

    private static let mark = "Hopoate.ThreadExecutor"

    /// Whether the calling thread is one of these.
    static var isRunningThis: Bool { Thread.current.threadDictionary[mark] != nil }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { [executor = asUnownedTaskExecutor()] in
            Thread.current.threadDictionary[Self.mark] = true
            job.runSynchronously(on: executor)
        }
    }
}

/// Limits how many tests with threads of their own run at once. The other tests wait in order of arrival, suspended.
// Unchecked, because of the variables. Sound, because they are used under the lock only.
private final class Turns: @unchecked Sendable {
    static let shared = Turns(max(2, ProcessInfo.processInfo.activeProcessorCount))

    private let lock = NSLock()
    private var free: Int
    private var waiters: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) {
        free = count
    }

    func take() async {
        await withCheckedContinuation { continuation in
            let isFree = lock.withLock {
                if free == 0 {
                    waiters.append(continuation)
                    return false
                }
                free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    /// Hands the turn to the first waiter.
    func pass() {
        let next: CheckedContinuation<Void, Never>? = lock.withLock {
            if waiters.isEmpty {
                free += 1
                return nil
            }
            return waiters.removeFirst()
        }
        next?.resume()
    }
}
