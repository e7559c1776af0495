import CHarness
import Synchronization

/// A barrier: threads spin until all have arrived, so that they leave it together.
final class Barrier: Sendable {
    private let threads: Int
    private let arrived = Atomic<Int>(0)

    init(threads: Int) {
        self.threads = threads
    }

    /// - Parameters:
    ///   - turn: The number of times that this thread has waited here before. Incremented.
    ///   - patience: The number of spins before the thread yields the processor.
    func wait(_ turn: inout Int, patience: Int) {
        turn += 1
        let wanted = turn * threads
        // All work before the barrier happens before all work after it.
        arrived.add(1, ordering: .acquiringAndReleasing)
        var spins = 0
        while arrived.load(ordering: .acquiring) < wanted {
            spins += 1
            // The processors may be fewer than the threads, or busy with something else.
            if spins < patience { har_pause() } else { har_yield() }
        }
    }
}
