import Foundation

/// Threads on which code may be stopped for ever without starving anybody.
///
/// A missing service is asked for in a function that has to return one, so the only way to go on without it is not to return:
/// the thread is parked. The threads of Swift's own pool are as few as there are processors and everybody's; these are ours,
/// and where one is parked another one is started in its place.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
// Unchecked, because of the variables. Sound, because they are used under the lock of the condition only.
final class WorkerPool: TaskExecutor, @unchecked Sendable {
    /// More than there are processors, since tests wait for each other.
    static let shared = WorkerPool(limit: max(16, 2 * ProcessInfo.processInfo.activeProcessorCount))

    private let limit: Int
    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []
    /// How many threads there are that are not parked.
    private var workers = 0
    /// How many of them wait for a job.
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

    /// Stops the calling thread, which has to be one of these, for ever.
    func park() -> Never {
        condition.lock()
        workers -= 1
        let isShort = startsWorker()
        condition.unlock()
        if isShort { start() }
        while true { Thread.sleep(forTimeInterval: 3600) }
    }

    private static let mark = "Hopoate.WorkerPool"

    /// Whether the calling thread is one of these.
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

    /// Counts another thread, where there is a job for it. Under the lock.
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
