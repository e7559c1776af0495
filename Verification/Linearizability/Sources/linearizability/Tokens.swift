import History
import Synchronization

/// The tokens of a round, by registration, so that each thread can remove what another one has registered.
///
/// A thread that finds a token here has synchronized with the one that registered; there is no other way to come by a
/// token.
final class Tokens: Sendable {
    // Unsafe, because it is a pointer. Sound, because it is to atomic words, and constant.
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

    /// The token, which stays here.
    func look(_ identifier: Identifier) -> UnsafeRawPointer? {
        words[Int(identifier)].load(ordering: .acquiring)
    }

    /// The token, which is the caller's now.
    func take(_ identifier: Identifier) -> UnsafeRawPointer? {
        look(identifier) == nil ? nil : words[Int(identifier)].exchange(nil, ordering: .acquiringAndReleasing)
    }
}
