#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

private let name = getenv("HOP_PLANTED").map { String(cString: $0) }

/// Whether a bug was chosen for this run. `planted` copies this file into the library.
func isPlanted(_ bug: String) -> Bool { name == bug }

/// Yields the processor, so that another thread can run in between.
func yieldProcessor() { sched_yield() }
