import Hopoate

/// Something that happens once, which tasks can wait for.
final class Gate: Sendable {
    private struct Contents {
        var isOpen = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let contents = Locked(Contents())

    /// Lets all waiters go on, and those that come later.
    func open() {
        let waiters = contents.withLock { contents in
            contents.isOpen = true
            defer { contents.waiters = [] }
            return contents.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until the gate is open, also if the task is cancelled.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = contents.withLock { contents in
                if !contents.isOpen { contents.waiters.append(continuation) }
                return contents.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}
