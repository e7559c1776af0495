/// Runs the disposal hooks of a container level by level, within limits.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
struct BoundedShutdown {
    private let time: any ShutdownTime
    private let hookLimit: Duration?
    /// The end of the time for all hooks; nil for no limit.
    private let deadline: Duration?
    private(set) var failures: [DependencyShutdownError.Failure] = []
    private(set) var unfinished: [DependencyShutdownError.Unfinished] = []

    /// A hundred years, so that adding a limit to a time does not overflow.
    private static let largestLimit = Duration.seconds(100 * 366 * 86_400)

    init(limit: Duration?, hookLimit: Duration?, _ time: any ShutdownTime) {
        self.time = time
        self.hookLimit = hookLimit.map { min($0, Self.largestLimit) }
        let start = time.now
        deadline = limit.map { start + min($0, Self.largestLimit) }
    }

    /// Disposes of the instances of one level: starts their asynchronous hooks, and then waits for all of them.
    ///
    /// Synchronous hooks run here, on the caller's actor, one after the other.
    mutating func run(_ level: [Disposal], isolation: isolated (any Actor)?) async {
        var running: [(disposal: Disposal, hook: RunningHook)] = []
        for disposal in level {
            guard let work = disposal.take() else { continue }
            do { try work.sync?() } catch { failures.append(.init(disposal.service, error)) }
            guard let hook = work.async else { continue }
            let now = time.now
            if let deadline, now >= deadline {
                unfinished.append(.init(disposal, after: nil))
            } else {
                let end = [deadline, hookLimit.map { now + $0 }].compactMap(\.self).min()
                running.append((disposal, RunningHook(hook, at: now, until: end, time)))
            }
        }
        for (disposal, hook) in running {
            switch await hook.outcome() {
            case .finished: break
            case .failed(let error): failures.append(.init(disposal.service, error))
            case .cancelled(let duration): unfinished.append(.init(disposal, after: duration.components))
            }
        }
    }
}
