/// The creation of a shared instance: one thread or task runs the creator, all others who ask meanwhile wait for its outcome.
///
/// It does not know the type of the service, so that all services share one code; who does takes the instance out of a `Holder`.
/// Only the variables change, under the lock of the gate that it left from.
@usableFromInline
// Unchecked, because of the variables. Sound, because of the lock.
final class Flight: Creation, @unchecked Sendable {
    enum Outcome {
        /// A `Holder` of the instance.
        case instance(AnyObject)
        case failure(DependencyError)
        /// Nobody waits for it, and nobody ever will.
        case unheard
    }

    /// How it ended; nil while it goes on.
    var outcome: Outcome?
    /// How many have joined it, and so are going to look at its outcome.
    var followers: Int
    /// Who is to be woken at the end.
    var waiters: [any Waiter] = []
    /// A `Holder` of the instance that is made but not yet complete: those who ask in the course of completing it get it.
    var pending: AnyObject?
    /// Of the storage, when it began.
    let generation: UInt32
    /// Where it left from.
    private let gate: Gate

    init(_ subject: Subject, from gate: Gate, graph: Graph?, generation: UInt32, followers: Int) {
        self.gate = gate
        self.generation = generation
        self.followers = followers
        super.init(subject, graph: graph)
    }

    override func abandon(_ error: DependencyError) -> Bool {
        gate.end(self, .failure(error))
        return true
    }
}

/// A value that is referred to.
// Unchecked, because a service need not be Sendable. Immutable.
final class Holder<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
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
