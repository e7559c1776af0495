/// A value that threads take turns on, for a few instructions at a time that run no user code.
// Unchecked, because the value is a variable. Sound, because every use of it is under the lock.
final class Locked<Value>: @unchecked Sendable {
    private let lock: UnsafeMutablePointer<UInt32>
    private var value: Value

    init(_ value: Value) {
        self.value = value
        lock = .allocate(capacity: 1)
        lock.initialize(to: 0)
    }

    deinit { lock.deallocate() }

    /// Runs a closure on the value, while no other thread does. What it lets go of must not be able to run user code: return
    /// such things, so that they end after the lock.
    func withLock<Output, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Output
    ) throws(Failure) -> Output {
        acquireLock(lock)
        defer { releaseLock(lock) }
        return try body(&value)
    }
}

/// A number that any thread may raise and read.
// Unchecked, because of the pointer. Sound, because all accesses to it are atomic.
final class SharedCounter: @unchecked Sendable {
    private let word: UnsafeMutablePointer<UInt32>

    init() {
        word = .allocate(capacity: 1)
        word.initialize(to: 0)
    }

    deinit { word.deallocate() }

    var value: UInt32 { loadPublished(word) }

    func increment() { Hopoate.increment(word) }
}
