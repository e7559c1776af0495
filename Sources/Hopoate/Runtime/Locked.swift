/// A variable with a lock, which is held for a few instructions that run no user code.
// Unchecked, because it has a variable. Sound, because every use of the variable is under the lock.
package final class Locked<Value>: @unchecked Sendable {
    private let lock: UnsafeMutablePointer<UInt32>
    private let ownsLock: Bool
    private var value: Value

    /// Makes a variable under a lock of its own or, if one is given, under a lock of the process.
    package init(_ value: Value, under lock: ProcessLock? = nil) {
        self.value = value
        ownsLock = lock == nil
        self.lock = lock?.word ?? .allocate(capacity: 1)
        if ownsLock { self.lock.initialize(to: 0) }
    }

    deinit {
        if ownsLock { lock.deallocate() }
    }

    /// Runs a closure on the value, under the lock.
    ///
    /// References that the closure drops may run user code, such as deinitializers. Return them, so that they end after the lock.
    ///
    /// If a closure returns the list itself, later closures must replace the list and not change it in place. Otherwise the last read of
    /// the list and the change are ordered by the reference count alone, which ThreadSanitizer does not see.
    package func withLock<Output, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Output
    ) throws(Failure) -> Output {
        acquireLock(lock)
        defer { releaseLock(lock) }
        return try body(&value)
    }
}

/// A counter that any thread may increment and read.
// Unchecked, because of the pointer. Sound, because all accesses are atomic.
final class SharedCounter: @unchecked Sendable {
    private let word: UnsafeMutablePointer<UInt32>

    init() {
        word = .allocate(capacity: 1)
        word.initialize(to: 0)
    }

    deinit { word.deallocate() }

    /// The current count. Acquire; pairs with the release in `increment`.
    var value: UInt32 { loadPublished(word) }

    /// Adds one. Acquire and release.
    func increment() { Hopoate.increment(word) }
}
