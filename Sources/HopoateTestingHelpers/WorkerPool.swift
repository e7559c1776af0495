import Foundation

/// Threads on which code can be stopped for ever without blocking other code.
///
/// A function that resolves a service has to return one. If the service is missing, the only way to go on without trapping is not
/// to return: the thread is parked. Swift's own pool has one thread per processor, for all code of the process. These threads
/// belong to the library, and a parked one is replaced by a new one.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
// Unchecked, because of the variables. Sound, because they are accessed under the lock of the condition only.
final class WorkerPool: TaskExecutor, @unchecked Sendable {
    /// There are more threads than processors, since tests wait for each other.
    static let shared = WorkerPool(limit: max(16, 2 * ProcessInfo.processInfo.activeProcessorCount))

    private let limit: Int
    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []
    /// The number of threads that are not parked.
    private var workers = 0
    /// The number of threads that wait for a job.
    private var idle = 0

    init(limit: Int) {
        self.limit = limit
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.lock()
        jobs.append(job)
        let isShort = startsWorker()
        condition.signal()
        condition.unlock()
        if isShort { start() }
    }

    /// Stops the calling thread for ever. It must be a thread of this pool.
    func park() -> Never {
        condition.lock()
        workers -= 1
        let isShort = startsWorker()
        condition.unlock()
        if isShort { start() }
        while true { Thread.sleep(forTimeInterval: 3600) }
    }

    private static let mark = "Hopoate.WorkerPool"

    /// Whether the calling thread is one of the pool.
    static var isRunningThis: Bool { Thread.current.threadDictionary[mark] != nil }

    private func start() {
        let thread = Thread {
            Thread.current.threadDictionary[Self.mark] = true
            self.work()
        }
        thread.name = "Isolated tests"
        thread.stackSize = 8 << 20
        thread.start()
    }

    /// Counts one more thread if there is a job for it. Call it under the lock.
    private func startsWorker() -> Bool {
        guard idle < jobs.count, workers < limit else { return false }
        workers += 1
        return true
    }

    private func work() -> Never {
        while true {
            condition.lock()
            idle += 1
            while jobs.isEmpty { condition.wait() }
            idle -= 1
            let job = jobs.removeFirst()
            condition.unlock()
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
