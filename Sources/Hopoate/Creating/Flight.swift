/// The creation of a shared instance: one thread or task runs the creator, all others who ask meanwhile wait for its outcome.
///
/// Only `outcome`, `waiters` and `pending` change, under the lock of the slot that the flight is in.
final class Flight<Service>: Creation, @unchecked Sendable {
    // Unchecked, because of the variables. Sound, because of the lock.
    typealias Outcome = Result<Service, DependencyError>

    /// How it ended; nil while it goes on.
    var outcome: Outcome?
    /// Who is to be woken at the end.
    var waiters: [any Waiter] = []
    /// The instance that is made but not yet complete: those who ask in the course of completing it get it.
    var pending: Service?
    /// Of the storage, when it began.
    let generation: UInt32
    /// Where it is, which lets go of it at its end.
    private let slot: Slot<Service>

    init(_ subject: Subject, in slot: Slot<Service>, graph: Graph?) {
        self.slot = slot
        generation = slot.storage.generation
        super.init(subject, graph: graph)
    }

    override func abandon(_ error: DependencyError) -> Bool {
        slot.end(self, .failure(error))
        return true
    }
}

/// Somebody who waits for a flight.
protocol Waiter: AnyObject, Sendable {
    func wake()
}

/// A thread that waits: it sleeps.
final class WaitingThread: Waiter {
    private let sleeper = Sleeper()

    func sleep() { sleeper.sleep() }

    func wake() { sleeper.wake() }
}

/// A task that waits: it is suspended, and woken by the end of the flight or by its own cancellation.
final class WaitingTask: Waiter {
    private enum State {
        case running
        case suspended(UnsafeContinuation<Void, Never>)
        case woken
    }

    private let state = Locked(State.running)

    func wake() {
        let continuation = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            defer { state = .woken }
            if case .suspended(let continuation) = state { return continuation }
            return nil
        }
        continuation?.resume()
    }

    /// Suspends until somebody wakes it or the task is cancelled.
    func suspend() async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let isWoken = state.withLock { state in
                    if case .woken = state { return true }
                    state = .suspended(continuation)
                    return false
                }
                if isWoken { continuation.resume() }
            }
        } onCancel: {
            wake()
        }
    }
}
