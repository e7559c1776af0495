// A lock, a published word and a sleeper, from C: Swift's own (the Synchronization module) need newer systems than this package.

public import CRegistry

/// Runs a closure in a read section, with a state that was published to it. See `MemoCell`.
///
/// The closure must only copy: no user code, nothing that blocks.
@inlinable
@inline(__always)
func withReadSection<Output>(_ state: UnsafePointer<UInt32>, _ copy: (UInt32) -> Output) -> Output {
    let thread = hop_section_begin()
    let output = copy(hop_word_load(state))
    hop_section_end(thread)
    return output
}

/// Loads a published state, for a caller that is in a read section already.
@inlinable
@inline(__always)
func loadPublished(_ state: UnsafePointer<UInt32>) -> UInt32 { hop_word_load(state) }

/// Publishes a state to `withReadSection`.
@inlinable
@inline(__always)
func publish(_ state: UnsafeMutablePointer<UInt32>, _ value: UInt32) { hop_word_store(state, value) }

/// Waits until no read section can still see what was published before.
func waitForReads() { hop_wait_for_reads() }

/// Adds one to a word that other threads read and raise.
func increment(_ word: UnsafeMutablePointer<UInt32>) { _ = hop_word_increment(word) }

/// Takes a lock: a word that is zero while nobody holds it. For a few instructions that run no user code.
func acquireLock(_ lock: UnsafeMutablePointer<UInt32>) { hop_lock_acquire(lock) }

/// Gives a lock back.
func releaseLock(_ lock: UnsafeMutablePointer<UInt32>) { hop_lock_release(lock) }

/// Runs a closure under a lock. It may wait for readers, but runs no user code.
func withLock<Output>(_ lock: UnsafeMutablePointer<UInt32>, _ body: () -> Output) -> Output {
    hop_lock_acquire(lock)
    defer { hop_lock_release(lock) }
    return body()
}

/// A thread that sleeps until another one wakes it.
// Unchecked, because of the pointer. Sound, because the C side takes a sleep and a wake from different threads.
final class Sleeper: @unchecked Sendable {
    private let raw = hop_sleeper_make()

    deinit { hop_sleeper_destroy(raw) }

    func sleep() { hop_sleeper_sleep(raw) }

    func wake() { hop_sleeper_wake(raw) }
}

/// Resumes a task without a report of ThreadSanitizer.
///
/// `resume()` reads the continuation, which lies in the memory of the task. A task that is resumed before it is suspended goes on
/// at once, and the runtime tells the sanitizer of that order only if the task is enqueued. So the read is hidden. What the task
/// looks at afterwards it finds under a lock, which the sanitizer knows.
func resumeHidden(_ continuation: UnsafeContinuation<Void, Never>) {
    hop_reads_hide()
    continuation.resume()
    hop_reads_show()
}
