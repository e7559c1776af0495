import Synchronization

/// An executor that runs its tasks on the thread that calls `drain`, in the order in which they become ready. So each run has the
/// same count.
final class Executor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs all ready jobs, including those that become ready meanwhile.
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

    /// Starts a task on this executor.
    func task(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: self) { await body() }
    }
}

/// A gate: factories wait until it is opened.
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
