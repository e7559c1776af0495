/// A thread or task that waits for the end of a creation.
///
/// It is a node of a linked list, so that one of many waiters leaves in constant time. The clients of a server determine how many
/// waiters there are.
// Unchecked, because it has variables. Sound, because the lock of the cell guards them.
package class Waiter: @unchecked Sendable {
    fileprivate final var next: Waiter?
    // Unowned, because the list holds every node.
    fileprivate final unowned(unsafe) var previous: Waiter?
    fileprivate final var isListed = false
    /// Whether it is inside a creation of its thread, and so may borrow a pending instance. See CompletionGroup.swift.
    final let mayBorrow: Bool

    init(mayBorrow: Bool) {
        self.mayBorrow = mayBorrow
    }

    /// Resumes the waiter. Called with no lock held; once, or also a second time if the waiter is a task that is cancelled.
    package func wake() {}
}

/// Waiters in the order of their arrival. Used under the lock of a cell.
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

    /// Removes the waiters that may borrow a pending instance, and returns them.
    mutating func takeBorrowers() -> WaiterList {
        var borrowers = WaiterList()
        var next = first
        while let waiter = next {
            next = waiter.next
            if waiter.mayBorrow {
                remove(waiter)
                borrowers.append(waiter)
            }
        }
        return borrowers
    }

    /// Removes a waiter, if it is in the list.
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

    /// Wakes all waiters. Called with no lock held, on a list that no other thread uses any more.
    consuming func wakeAll() {
        var waiter = first
        first = nil
        last = nil
        // Unlinked one by one: releasing the list as a whole would recurse once per waiter.
        while let current = waiter {
            waiter = current.next
            current.next = nil
            current.wake()
        }
    }
}

/// A blocked thread.
// Unchecked for the same reason as the base class.
final class WaitingThread: Waiter, @unchecked Sendable {
    private let sleeper = Sleeper()

    func sleep() { sleeper.sleep() }

    override func wake() { sleeper.wake() }
}

/// A suspended task, which resumes at the end of the creation or when the task is cancelled.
// Unchecked for the same reason as the base class.
package final class WaitingTask: Waiter, @unchecked Sendable {
    private enum State {
        case running
        case suspended(UnsafeContinuation<Void, Never>)
        case woken
    }

    private let state = Locked(State.running)

    package init() {
        super.init(mayBorrow: false)
    }

    package override func wake() {
        let continuation = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            defer { state = .woken }
            if case .suspended(let continuation) = state { return continuation }
            return nil
        }
        if let continuation { resumeHidden(continuation) }
    }

    /// Suspends the task until `wake` is called, which may have been before. Called once.
    // Nonisolated, so that the return to the caller's actor enqueues the task: ThreadSanitizer sees the order of a resumption
    // only if the task is enqueued.
    package func suspend() async {
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
