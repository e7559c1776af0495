import CHarness
import Synchronization

/// Measures by how many ticks the clocks of the cores disagree: the largest amount by which a reading was smaller than one
/// that happened before it. Zero on any machine whose system trusts its clock.
///
/// Each thread loads the largest reading that any thread has published, which happened before, and then reads its own
/// clock. Linux uses the same method to decide whether the counters of the cores may be used (check_tsc_warp).
func measureClockWarp(threads: Int) -> UInt64 {
    let latest = Atomic<UInt64>(0)
    let warp = Atomic<UInt64>(0)
    runThreads(threads) { _ in
        for _ in 0..<100_000 {
            let earlier = latest.load(ordering: .acquiring)
            let now = har_clock_read()
            if now < earlier { warp.max(earlier - now, ordering: .relaxed) }
            latest.max(now, ordering: .acquiringAndReleasing)
        }
    }
    return warp.load(ordering: .relaxed)
}

/// Runs a closure on several threads at once, with their numbers, and waits for all of them.
func runThreads(_ count: Int, _ body: (Int) -> Void) {
    withoutActuallyEscaping(body) { body in
        withUnsafePointer(to: body) { pointer in
            har_run_threads(
                UInt32(count),
                { number, context in
                    // The context is the pointer that was passed, and the closure that it points to outlives the threads.
                    context.assumingMemoryBound(to: ((Int) -> Void).self).pointee(Int(number))
                }, UnsafeMutableRawPointer(mutating: pointer))
        }
    }
}
