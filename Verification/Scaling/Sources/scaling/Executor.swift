import Synchronization

/// Runs the tasks that prefer it on the thread that calls `drain`, in the order in which they become ready: so a count is the
/// same each time.
final class Executor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs all that is ready, and what becomes ready meanwhile.
    func drain() {
        while true {
            let ready = jobs.withLock { jobs in
                defer { jobs = [] }
                return jobs
            }
            if ready.isEmpty { return }
            for job in ready { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }

    /// Starts a task here.
    func task(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: self) { await body() }
    }
}

/// What factories wait for until it is opened.
final class Gate: Sendable {
    private let waiters = Mutex<[CheckedContinuation<Void, Never>]?>([])

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = waiters.withLock { waiters in
                waiters?.append(continuation)
                return waiters == nil
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = waiters.withLock { waiters in
            defer { waiters = nil }
            return waiters ?? []
        }
        for continuation in waiting { continuation.resume() }
    }
}
