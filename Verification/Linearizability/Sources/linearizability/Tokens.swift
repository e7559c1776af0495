import History
import Synchronization

/// The tokens of a round, by registration, so that each thread can remove registrations of other threads.
///
/// A thread that finds a token here has synchronized with the thread that registered. There is no other way to get a
/// token.
final class Tokens: Sendable {
    // Unsafe, because it is a pointer. Sound, because it is constant and points to atomic words.
    nonisolated(unsafe) private let words: UnsafeMutablePointer<Atomic<UnsafeRawPointer?>>
    private let count: Int

    init(count: Int) {
        self.count = count
        words = .allocate(capacity: count)
        for index in 0..<count { (words + index).initialize(to: Atomic(nil)) }
    }

    deinit {
        words.deinitialize(count: count)
        words.deallocate()
    }

    func publish(_ token: UnsafeRawPointer, of identifier: Identifier) {
        words[Int(identifier)].store(token, ordering: .releasing)
    }

    /// Returns the token, which stays here.
    func look(_ identifier: Identifier) -> UnsafeRawPointer? {
        words[Int(identifier)].load(ordering: .acquiring)
    }

    /// Removes the token and returns it to the caller, who owns it.
    func take(_ identifier: Identifier) -> UnsafeRawPointer? {
        look(identifier) == nil ? nil : words[Int(identifier)].exchange(nil, ordering: .acquiringAndReleasing)
    }
}
