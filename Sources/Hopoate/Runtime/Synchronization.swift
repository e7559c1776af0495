// A lock, a published word and a sleeper, from C: those of Swift (the Synchronization module) need newer systems than this package.

public import CRegistry

/// Runs a closure in a read section, with a published state. See `MemoCell`.
///
/// The closure must only copy: it runs no user code and does not block. The state is loaded with acquire, which pairs with the
/// release in `publish(_:_:)`. The begin of the section pairs with `waitForReads`.
@inlinable
@inline(__always)
func withReadSection<Output>(_ state: UnsafePointer<UInt32>, _ copy: (UInt32) -> Output) -> Output {
    let thread = hop_section_begin()
    let output = copy(hop_word_load(state))
    hop_section_end(thread)
    return output
}

/// Loads a published word. Acquire; pairs with the releases in `publish(_:_:)` and `increment(_:)`.
///
/// If the word says which slot of a `MemoCell` to read, the caller must be in a read section.
@inlinable
@inline(__always)
func loadPublished(_ state: UnsafePointer<UInt32>) -> UInt32 { hop_word_load(state) }

/// Publishes a state to readers. Release; pairs with the acquire in `withReadSection` and `loadPublished`.
@inlinable
@inline(__always)
func publish(_ state: UnsafeMutablePointer<UInt32>, _ value: UInt32) { hop_word_store(state, value) }

/// Waits until no read section can still see what was published before. Pairs with `withReadSection`.
func waitForReads() { hop_wait_for_reads() }

/// Adds one to a word that other threads read and increment. Acquire and release.
func increment(_ word: UnsafeMutablePointer<UInt32>) { _ = hop_word_increment(word) }

/// Takes a lock, a word that is zero while the lock is free. For a few instructions that run no user code.
///
/// Acquire; pairs with the release in `releaseLock`.
func acquireLock(_ lock: UnsafeMutablePointer<UInt32>) { hop_lock_acquire(lock) }

/// Releases a lock. Release; pairs with the acquire in `acquireLock`.
func releaseLock(_ lock: UnsafeMutablePointer<UInt32>) { hop_lock_release(lock) }

/// Runs a closure under a lock. The closure may wait for readers, but runs no user code.
func withLock<Output, Failure: Error>(
    _ lock: UnsafeMutablePointer<UInt32>, _ body: () throws(Failure) -> Output
) throws(Failure) -> Output {
    hop_lock_acquire(lock)
    defer { hop_lock_release(lock) }
    return try body()
}

/// A lock that the whole process shares. The child of a fork finds it free: primitives.c says how, and in which order to take two of them.
///
/// Every other lock belongs to an object. The child must not use an object that another thread was changing.
package enum ProcessLock {
    /// The state of the default container.
    case defaultState
    /// The free scope indices of the default container.
    case defaultIndices
    /// The contents of the recorders of warm-ups.
    case recorders
    /// The wait-for graph.
    case waits
    /// The completion groups.
    case groups
    /// The names.
    case names

    /// The word of the lock, which lives for ever.
    var word: UnsafeMutablePointer<UInt32> {
        switch self {
        case .defaultState: hop_process_lock_word(HOP_LOCK_DEFAULT_STATE)
        case .defaultIndices: hop_process_lock_word(HOP_LOCK_DEFAULT_INDICES)
        case .recorders: hop_process_lock_word(HOP_LOCK_RECORDERS)
        case .waits: hop_process_lock_word(HOP_LOCK_WAITS)
        case .groups: hop_process_lock_word(HOP_LOCK_GROUPS)
        case .names: hop_process_lock_word(HOP_LOCK_NAMES)
        }
    }

    /// Runs a closure under the lock. It runs no user code, and takes no other lock but a later one.
    func withLock<Output, Failure: Error>(_ body: () throws(Failure) -> Output) throws(Failure) -> Output {
        try Hopoate.withLock(word, body)
    }
}

/// A number that no other call in this process returns, beginning with 1.
func uniqueNumber() -> UInt { hop_unique_number() }

/// Blocks one thread until another one wakes it.
// Unchecked, because of the pointer. Sound, because the C side allows a sleep and a wake on different threads.
final class Sleeper: @unchecked Sendable {
    private let raw = hop_sleeper_make()

    deinit { hop_sleeper_destroy(raw) }

    /// Blocks until `wake` was called, which may have been before. Acquire; pairs with the release in `wake`.
    func sleep() { hop_sleeper_sleep(raw) }

    /// Wakes the thread. Release.
    func wake() { hop_sleeper_wake(raw) }
}

/// Resumes a task without a false report of ThreadSanitizer.
///
/// `resume()` reads the continuation, which lies in the memory of the task. If a task is resumed before it is suspended, it
/// continues at once, and the runtime reports this order to the sanitizer only if the task is enqueued. So the read is hidden. The
/// task reads its result under a lock, which the sanitizer knows.
package func resumeHidden(_ continuation: UnsafeContinuation<Void, Never>) {
    hop_reads_hide()
    continuation.resume()
    hop_reads_show()
}
