#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

private let name = getenv("HOP_PLANTED").map { String(cString: $0) }

/// Whether a bug was chosen for this run. Copied into the library by `planted`.
func isPlanted(_ bug: String) -> Bool { name == bug }

/// Gives the processor away, so that another thread comes in between.
func yieldProcessor() { sched_yield() }
