/// A thread or task that waits for the end of a creation.
///
/// It is an element of a linked list, so that one of many leaves in constant time: the number of waiters is for a server's
/// clients to say.
// Unchecked, because of the variables. Sound, because the lock of the single flight guards them.
class Waiter: @unchecked Sendable {
    fileprivate final var next: Waiter?
    // The list holds both.
    fileprivate final unowned(unsafe) var previous: Waiter?
    fileprivate final var isListed = false

    /// Lets it go on. Called once, with nothing locked, or more than once for a task that is cancelled.
    func wake() {}
}

/// Waiters in the order of their arrival. Used under the lock of a single flight.
struct WaiterList {
    private var first: Waiter?
    private var last: Waiter?

    mutating func append(_ waiter: Waiter) {
        waiter.isListed = true
        waiter.previous = last
        last?.next = waiter
        if first == nil { first = waiter }
        last = waiter
    }

    /// Takes a waiter out, if it is there.
    mutating func remove(_ waiter: Waiter) {
        guard waiter.isListed else { return }
        waiter.isListed = false
        let next = waiter.next
        let previous = waiter.previous
        if first === waiter { first = next }
        if last === waiter { last = previous }
        previous?.next = next
        next?.previous = previous
        waiter.next = nil
        waiter.previous = nil
    }

    /// Wakes all of them. Called on a list that no other thread uses any more, with nothing locked.
    consuming func wakeAll() {
        var waiter = first
        first = nil
        last = nil
        // One at a time: a list that is let go of as a whole would be released by recursion.
        while let current = waiter {
            waiter = current.next
            current.next = nil
            current.wake()
        }
    }
}

/// A thread that sleeps.
// Unchecked as the base class.
final class WaitingThread: Waiter, @unchecked Sendable {
    private let sleeper = Sleeper()

    func sleep() { sleeper.sleep() }

    override func wake() { sleeper.wake() }
}

/// A task that is suspended, and goes on at the end or when it is cancelled.
// Unchecked as the base class.
final class WaitingTask: Waiter, @unchecked Sendable {
    private enum State {
        case running
        case suspended(UnsafeContinuation<Void, Never>)
        case woken
    }

    private let state = Locked(State.running)

    override func wake() {
        let continuation = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            defer { state = .woken }
            if case .suspended(let continuation) = state { return continuation }
            return nil
        }
        if let continuation { resumeHidden(continuation) }
    }

    /// Suspends the task until somebody wakes it. Once; it may have been woken before.
    // Not on the caller's actor: ThreadSanitizer sees the order of a resumption only if the task is enqueued again.
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
