import Hopoate

/// An asynchronous hook that runs in a task of its own. If it does not end in time, its task is cancelled, and it is left behind.
///
/// The end of the hook and the end of its time race for the outcome. The first one decides it. The other one changes nothing, so a hook
/// that ends late does no harm.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
struct RunningHook: Sendable {
    /// How a hook ended, and after how long.
    enum Outcome: Sendable {
        case finished(after: Duration)
        case failed(any Error, after: Duration)
        /// The hook was left behind.
        case cancelled(after: Duration)
    }

    private let decision = Decision()
    private let timer: Task<Void, Never>?

    /// Starts a hook.
    ///
    /// - Parameters:
    ///   - hook: The hook.
    ///   - start: The time now.
    ///   - deadline: The time at which the hook is cancelled; nil for no limit.
    init(
        _ hook: @escaping @Sendable () async throws -> Void, at start: Duration, until deadline: Duration?,
        _ time: any ElapsedTime
    ) {
        let decision = decision
        let task = Task {
            do {
                try await hook()
                _ = decision.decide(.finished(after: time.now - start))
            } catch {
                _ = decision.decide(.failed(error, after: time.now - start))
            }
        }
        timer = deadline.map { deadline in
            Task {
                await time.sleep(until: deadline)
                if !Task.isCancelled, decision.decide(.cancelled(after: time.now - start)) { task.cancel() }
            }
        }
    }

    /// Waits until the hook has ended, or its time is over.
    func outcome() async -> Outcome {
        let outcome = await decision.value()
        timer?.cancel()
        return outcome
    }

    /// An outcome that is decided once, and that one task waits for.
    private final class Decision: Sendable {
        private let state = Locked<(outcome: Outcome?, waiter: UnsafeContinuation<Void, Never>?)>((nil, nil))

        /// Decides the outcome, unless it is decided already.
        ///
        /// - Returns: Whether this call has decided it.
        func decide(_ outcome: Outcome) -> Bool {
            let (isFirst, waiter) = state.withLock { state in
                guard state.outcome == nil else { return (false, nil as UnsafeContinuation<Void, Never>?) }
                state.outcome = outcome
                return (true, state.waiter.take())
            }
            if let waiter { resumeHidden(waiter) }
            return isFirst
        }

        func value() async -> Outcome {
            while true {
                if let outcome = state.withLock({ $0.outcome }) { return outcome }
                await withUnsafeContinuation { continuation in
                    let isDecided = state.withLock { state in
                        if state.outcome == nil { state.waiter = continuation }
                        return state.outcome != nil
                    }
                    if isDecided { resumeHidden(continuation) }
                }
            }
        }
    }
}
