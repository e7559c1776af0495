public import Hopoate

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
extension DependencyContainer {
    /// Runs all health checks at once, and returns their outcomes.
    ///
    /// ```swift
    /// let health = await container.health(within: .seconds(1))
    /// print(health.isReady, health)
    /// ```
    ///
    /// The checks of this container and its parents run concurrently, each in a task of its own. A check that has not ended in time is
    /// cancelled and reported as ``DependencyHealth/Status/timedOut``. The call does not wait for it, so a check that ignores its cancellation
    /// delays nothing.
    ///
    /// No service is created. If the calling task is cancelled, the call returns at once, and the checks that have not ended count as timed
    /// out.
    ///
    /// - Parameter limit: The time for all checks together.
    /// - Returns: The outcomes; without checks, a healthy report.
    /// - Complexity: O(n) in the number of checks, plus the checks.
    public func health(within limit: Duration) async -> DependencyHealth {
        await health(within: limit, clock: ContinuousClock())
    }

    /// The same with another clock.
    ///
    /// ```swift
    /// let health = await container.health(within: .seconds(1), clock: SuspendingClock())
    /// print(health.isAlive)
    /// ```
    ///
    /// - Parameters:
    ///   - limit: The time for all checks together.
    ///   - clock: The clock that measures the time, for example one that a test controls.
    /// - Returns: The outcomes; without checks, a healthy report.
    /// - Complexity: O(n) in the number of checks, plus the checks.
    public func health(within limit: Duration, clock: some Clock<Duration>) async -> DependencyHealth {
        await health(for: .readiness, within: limit, clock: clock)
    }

    /// Runs the health checks that answer one question, and returns their outcomes.
    ///
    /// ```swift
    /// let health = await container.health(for: .liveness, within: .seconds(1))
    /// print(health.isAlive)
    /// ```
    ///
    /// The same as ``health(within:)``, with fewer checks for ``DependencyHealth/Probe/liveness``: only those that were added for it. So a
    /// database that hangs does not delay the answer whether the process works. For ``DependencyHealth/Probe/readiness``, all checks run.
    ///
    /// - Parameters:
    ///   - probe: The question.
    ///   - limit: The time for all checks together.
    ///   - clock: The clock that measures the time, for example one that a test controls.
    /// - Returns: The outcomes of the checks that ran; without checks, a healthy report.
    /// - Complexity: O(n) in the number of checks, plus the checks.
    public func health(
        for probe: DependencyHealth.Probe, within limit: Duration, clock: some Clock<Duration> = ContinuousClock()
    ) async -> DependencyHealth {
        // A commit meanwhile disposes of nothing that the checks use.
        let generation = allowsCommits ? makeChild() : nil
        defer { withExtendedLifetime(generation) {} }
        let checks = resolveAll(DependencyHealthCheck.self).reversed().filter {
            probe == .readiness || $0.probe == probe
        }
        let outcomes = HealthOutcomes(checks.count)
        let tasks = checks.enumerated().map { index, check in
            // The plan is made here, so a check that hangs retains its service, and not the container.
            let plan = check.plan(self)
            return Task { outcomes.set(await plan.status, at: index) }
        }
        let timer = Task {
            do { try await clock.sleep(for: limit.saturated) } catch { return }
            outcomes.close()
        }
        let statuses = await withTaskCancellationHandler {
            await outcomes.all()
        } onCancel: {
            outcomes.close()
        }
        timer.cancel()
        for task in tasks { task.cancel() }
        // Read after the checks: a shutdown that began while they ran may be the reason why they failed.
        return DependencyHealth(
            results: zip(checks, statuses).map { $0.result($1) }, isShutDown: isShutDown, isDraining: isDraining)
    }
}

extension DependencyHealthCheck.Plan {
    /// Runs the check, if it has to.
    fileprivate var status: DependencyHealth.Status {
        get async {
            switch self {
            case .ended(let status): return status
            case .run(let check):
                do {
                    try await check()
                    return .healthy
                } catch {
                    return .unhealthy(error)
                }
            }
        }
    }
}

/// The outcomes of checks that run concurrently, until all have ended or the time is up.
///
/// Invariant: the waiter is resumed once. Adding the last outcome, closing and waiting take the same lock. The one that finds both
/// a waiter and the end takes the waiter out.
private final class HealthOutcomes: Sendable {
    private struct Contents {
        var statuses: [DependencyHealth.Status?]
        var missing: Int
        var isClosed = false
        var waiter: CheckedContinuation<[DependencyHealth.Status], Never>?

        /// The outcomes, once they are final.
        var final: [DependencyHealth.Status]? {
            isClosed || missing == 0 ? statuses.map { $0 ?? .timedOut } : nil
        }

        /// Takes the waiter out if the outcomes are final.
        mutating func takeWaiter() -> (() -> Void)? {
            guard let waiter, let final else { return nil }
            self.waiter = nil
            return { waiter.resume(returning: final) }
        }
    }

    private let contents: Locked<Contents>

    init(_ count: Int) {
        contents = Locked(Contents(statuses: Array(repeating: nil, count: count), missing: count))
    }

    /// Sets an outcome, unless the time is up.
    func set(_ status: DependencyHealth.Status, at index: Int) {
        let resume = contents.withLock { contents -> (() -> Void)? in
            guard !contents.isClosed else { return nil }
            contents.statuses[index] = status
            contents.missing -= 1
            return contents.takeWaiter()
        }
        resume?()
    }

    /// Ends the time. Outcomes that are still missing count as timed out.
    func close() {
        let resume = contents.withLock { contents -> (() -> Void)? in
            contents.isClosed = true
            return contents.takeWaiter()
        }
        resume?()
    }

    /// Waits until the outcomes are final.
    func all() async -> [DependencyHealth.Status] {
        await withCheckedContinuation { continuation in
            let resume = contents.withLock { contents -> (() -> Void)? in
                contents.waiter = continuation
                return contents.takeWaiter()
            }
            resume?()
        }
    }
}
