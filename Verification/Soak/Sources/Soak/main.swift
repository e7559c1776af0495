// Soak [--seconds N] [--bound MILLISECONDS] [--plant leak|stall]
//
// Crews of 2, 4 and 16 threads do every operation on a container, each crew for a third of N seconds (15). Then nothing may be
// left: see README.md. Exits with 1 if a bound is exceeded.

import CHeap
import CRegistry
import Hopoate
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

enum Bounds {
    /// The growth of the heap in bytes, from the end of the warm-up to the end of the run, both without other threads.
    static let growth: Int64 = 16_384
    /// The largest number of thread records for each worker: its own, and that of a thread that it starts.
    static let recordsPerThread = 2
    /// The largest number of further thread records.
    static let otherRecords = 4
    /// The largest number of deferred releases for each worker, at any time: of four services that it borrows, and of one that it is
    /// about to release.
    static let deferredPerThread = 5
}

var seconds = 15.0
var bound: UInt64 = 1_000
var plant: Plant?
var rest = CommandLine.arguments.dropFirst().makeIterator()
while let option = rest.next(), let value = rest.next() {
    switch option {
    case "--seconds": seconds = Double(value) ?? seconds
    case "--bound": bound = UInt64(value) ?? bound
    case "--plant": plant = Plant(rawValue: value)
    default: fatalError("unknown option \(option)")
    }
}
var failures = 0

@MainActor
func expect(_ condition: Bool, _ what: String) {
    if condition { return }
    failures += 1
    print("    FAILED: \(what)")
}

/// Runs a crew, and returns when its threads, its registrations and its container are gone.
func run(threads: Int, seconds: Double, plant: Plant?) -> Worker.Report {
    let crew = Crew(plant: plant)
    for kind in Kind.lasting { _ = kind.register(crew.container, true) }
    nonisolated(unsafe) let reports = UnsafeMutableBufferPointer<Worker.Report>.allocate(capacity: threads)
    reports.initialize(repeating: Worker.Report())
    let members = (0..<threads).map { number in
        Thread {
            var worker = Worker(crew, number: number, seed: 20_260_101)
            // Each thread writes its own slot. The slots are read when the threads have ended.
            reports[number] = worker.work()
        }
    }
    let committer = Thread { crew.commitOnThisThread() }
    let end = nanoseconds() + UInt64(seconds * 1e9)
    while nanoseconds() < end { usleep(10_000) }
    crew.isOver.store(true, ordering: .relaxed)
    for member in members { member.join() }
    committer.join()
    var total = Worker.Report()
    for report in reports { total.add(report) }
    reports.deinitialize()
    reports.deallocate()
    return total
}

func text(_ nanoseconds: UInt64) -> String {
    switch nanoseconds {
    case ..<10_000: "\(nanoseconds) ns"
    case ..<10_000_000: "\(nanoseconds / 1_000) us"
    default: "\(nanoseconds / 1_000_000) ms"
    }
}

func line(_ name: String, _ latencies: Latencies) -> String {
    "    \(name) \(latencies.total), half of them within \(text(latencies.quantile(0.5))), "
        + "99.99 % within \(text(latencies.quantile(0.9999))), the longest \(text(latencies.longest))"
}

for threads in [2, 4, 16] {
    // A variable, so that the report of the run replaces one of the same size.
    var report = run(threads: threads, seconds: min(1, seconds / 10), plant: nil)
    let before = heap_allocated_bytes()
    report = run(threads: threads, seconds: seconds / 3, plant: plant)
    let growth = heap_allocated_bytes() - before
    let statistics = hop_statistics_read(nil)
    print("\(threads) threads, \(Int(seconds / 3)) s")
    print(line("reads  ", report.reads))
    print(line("writes ", report.writes))
    print(line("others ", report.others))
    print(
        "    heap    \(growth) bytes more, \(statistics.thread_records) thread records, \(statistics.deferred) deferred releases, "
            + "no more than \(report.deferred) during the run"
    )
    fflush(nil)
    expect(growth <= Bounds.growth, "the heap has grown by more than \(Bounds.growth) bytes")
    expect(
        Int(statistics.thread_records) <= threads * Bounds.recordsPerThread + Bounds.otherRecords,
        "more thread records than threads that were at work at once")
    expect(
        report.deferred <= threads * Bounds.deferredPerThread,
        "more releases were deferred than services were borrowed")
    expect(report.deferred > 0, "no release was ever deferred")
    expect(statistics.deferred == 0, "releases are deferred though nobody borrows")
    expect(living.load(ordering: .relaxed) == 0, "services are alive though nobody has them")
    let longest = max(report.reads.longest, report.writes.longest, report.others.longest)
    expect(longest <= bound * 1_000_000, "an operation took longer than \(bound) ms")
}
exit(failures == 0 ? 0 : 1)
