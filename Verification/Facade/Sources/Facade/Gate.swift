/// What a factory waits for, until the program opens it.
// Unchecked. Sound, because one thread runs at any time.
final class Gate: @unchecked Sendable {
    private var waiting: [UnsafeContinuation<Void, Never>] = []
    private var isOpen = false

    func wait() async {
        if isOpen { return }
        await withUnsafeContinuation { waiting.append($0) }
    }

    /// Lets all go on who wait; for good, where it stays open.
    func open(forGood: Bool) {
        if forGood { isOpen = true }
        let woken = waiting
        waiting = []
        for continuation in woken { continuation.resume() }
    }
}
