import Hopoate

/// An outcome that any number of tasks wait for. The cancellation of one of them ends its own wait alone.
final class SharedOutcome: Sendable {
    private struct State {
        var outcome: Result<Void, any Error>?
        var waiters: [ObjectIdentifier: WaitingTask] = [:]
    }

    private let state = Locked(State())

    /// Decides the outcome. Called once.
    ///
    /// - Parameter failure: The error; nil for a success.
    func decide(_ failure: (any Error)?) {
        let waiters = state.withLock { state in
            state.outcome = failure.map { .failure($0) } ?? .success(())
            return exchange(&state.waiters, with: [:])
        }
        for waiter in waiters.values { waiter.wake() }
    }

    /// Waits for the outcome, or for the cancellation of the task.
    func value() async throws {
        let waiter = WaitingTask()
        let decided = state.withLock { state in
            if state.outcome == nil { state.waiters[ObjectIdentifier(waiter)] = waiter }
            return state.outcome
        }
        if let decided { return try decided.get() }
        await waiter.suspend()
        let outcome = state.withLock { state in
            state.waiters[ObjectIdentifier(waiter)] = nil
            return state.outcome
        }
        // Without an outcome, the cancellation has woken the task.
        guard let outcome else { throw CancellationError() }
        try outcome.get()
    }
}
