/// A signal that tasks can wait for.
final class AsyncSignal: Sendable {
    private let state = Locked((isRaised: false, waiters: [CheckedContinuation<Void, Never>]()))

    func raise() {
        let waiters = state.withLock { state in
            state.isRaised = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isRaised = state.withLock { state in
                if !state.isRaised { state.waiters.append(continuation) }
                return state.isRaised
            }
            if isRaised { continuation.resume() }
        }
    }
}
