/// A gate: factories wait until the program opens it.
// Unchecked. Sound, because one thread runs at any time.
final class Gate: @unchecked Sendable {
    private var waiting: [UnsafeContinuation<Void, Never>] = []
    private var isOpen = false

    func wait() async {
        if isOpen { return }
        await withUnsafeContinuation { waiting.append($0) }
    }

    /// Resumes all waiters. If `forGood`, the gate stays open.
    func open(forGood: Bool) {
        if forGood { isOpen = true }
        let woken = waiting
        waiting = []
        for continuation in woken { continuation.resume() }
    }
}
