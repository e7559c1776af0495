import Hopoate

/// Runs the disposal hooks of a container level by level, within limits.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
struct BoundedShutdown {
    private let time: any ElapsedTime
    private let hookLimit: Duration?
    /// The end of the time for all hooks; nil for no limit.
    private let deadline: Duration?
    private(set) var failures: [DependencyShutdownError.Failure] = []
    private(set) var unfinished: [DependencyShutdownError.Unfinished] = []
    private var entries: [DependencyShutdownReport.Entry] = []
    private let start: Duration
    private var level = 0

    init(limit: Duration?, hookLimit: Duration?, _ time: any ElapsedTime) {
        self.time = time
        self.hookLimit = hookLimit?.saturated
        let start = time.now
        self.start = start
        deadline = limit.map { start + $0.saturated }
    }

    /// What this shutdown has disposed of until now.
    var report: DependencyShutdownReport {
        DependencyShutdownReport(entries: entries, time: StoredDuration(time.now - start))
    }

    /// Waits for the asynchronous hooks of instances that have left before the shutdown. Those that exceed the limits are cancelled, and
    /// left behind.
    mutating func awaitLeavingInstances(of container: DependencyContainer) async {
        if container.leavingInstances.isEmpty { return }
        let end = [deadline, hookLimit.map { start + $0 }].compactMap(\.self).min()
        let waiting = RunningHook(container.awaitLeavingInstances, at: start, until: end, time)
        guard case .cancelled(let duration) = await waiting.outcome() else { return }
        for disposal in container.leavingInstances {
            disposal.cancel()
            unfinished.append(.init(disposal, after: StoredDuration(duration)))
        }
    }

    /// Disposes of the instances of one level: starts their asynchronous hooks, and then waits for all of them.
    ///
    /// Synchronous hooks run here, on the caller's actor, one after the other.
    mutating func run(_ level: [Disposal], isolation: isolated (any Actor)?) async {
        self.level += 1
        var running: [(hook: RunningHook, disposal: Disposal, entry: Int)] = []
        for disposal in level {
            guard let work = disposal.take() else { continue }
            let entry = runSynchronously(work, disposal)
            guard let hook = work.async else { continue }
            let now = time.now
            if let deadline, now >= deadline {
                unfinished.append(.init(disposal, after: nil))
                entries[entry].add(.notStarted, after: .zero)
            } else {
                let end = [deadline, hookLimit.map { now + $0 }].compactMap(\.self).min()
                running.append((RunningHook(hook, at: now, until: end, time), disposal, entry))
            }
        }
        for (hook, disposal, entry) in running {
            switch await hook.outcome() {
            case .finished(let duration): entries[entry].add(.finished, after: duration)
            case .failed(let error, let duration):
                failures.append(.init(disposal.service, error))
                entries[entry].add(.failed, after: duration)
            case .cancelled(let duration):
                unfinished.append(.init(disposal, after: StoredDuration(duration)))
                entries[entry].add(.cancelled, after: duration)
            }
        }
    }

    /// Runs the synchronous hook of an instance.
    ///
    /// - Returns: The index of the entry of the instance.
    private mutating func runSynchronously(_ work: Disposal.Work, _ disposal: Disposal) -> Int {
        var entry = DependencyShutdownReport.Entry(disposal, level: level)
        if let hook = work.sync {
            let begin = time.now
            var outcome = DependencyShutdownReport.Outcome.finished
            do {
                try hook()
            } catch {
                failures.append(.init(disposal.service, error))
                outcome = .failed
            }
            entry.add(outcome, after: time.now - begin)
        }
        entries.append(entry)
        return entries.count - 1
    }
}
