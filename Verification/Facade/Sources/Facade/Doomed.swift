import CExecutor
import Hopoate

/// A service without a registration.
final class Missing: Sendable {}

/// A container that is never released, because the thread that resolves from it ends in the middle.
// Unchecked. Sound, because one thread runs at any time.
final class Unreleased: @unchecked Sendable {
    let container: DependencyContainer

    init(_ container: DependencyContainer) {
        self.container = container
    }
}

/// The actor of the tasks that never end. Each of their jobs runs on its own thread, which the failure handler ends. So a handler
/// that does not return needs no thread that is parked for ever.
@globalActor
actor Doomed {
    static let shared = Doomed()

    private final class Executor: SerialExecutor {
        func enqueue(_ job: UnownedJob) { world.enqueue(.doomed(job)) }
    }

    private static let executor = Executor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { Doomed.executor.asUnownedSerialExecutor() }

    /// Runs a job on its own thread, until the job suspends or ends, or the thread ends.
    static func run(_ job: UnownedJob) {
        withUnsafePointer(to: job) { job in
            facade_thread_run(
                { context in
                    let job = context?.assumingMemoryBound(to: UnownedJob.self).pointee
                    job?.runSynchronously(on: Doomed.executor.asUnownedSerialExecutor())
                }, UnsafeMutableRawPointer(mutating: job))
        }
    }
}
