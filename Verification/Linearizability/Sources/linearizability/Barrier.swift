import CHarness
import Synchronization

/// Where threads wait until all have come, spinning, so that they leave it together.
final class Barrier: Sendable {
    private let threads: Int
    private let arrived = Atomic<Int>(0)

    init(threads: Int) {
        self.threads = threads
    }

    /// - Parameters:
    ///   - turn: How many times this thread has waited here before; counted on.
    ///   - patience: How often to look before another thread gets the processor.
    func wait(_ turn: inout Int, patience: Int) {
        turn += 1
        let wanted = turn * threads
        // What each thread did before happens before what any does after.
        arrived.add(1, ordering: .acquiringAndReleasing)
        var spins = 0
        while arrived.load(ordering: .acquiring) < wanted {
            spins += 1
            // The processors may be fewer than the threads, or busy with something else.
            if spins < patience { har_pause() } else { har_yield() }
        }
    }
}
