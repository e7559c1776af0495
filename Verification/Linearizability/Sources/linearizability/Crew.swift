import CHarness
import Synchronization

/// The concurrent operations of several threads on a container, and their check.
protocol CheckedRound: AnyObject {
    /// Does the operations of one thread. `start` returns when all threads have called it.
    func run(thread: Int, start: () -> Void)
    /// Checks and counts the recorded operations, after all threads have finished.
    func verify(threads: Int, warp: UInt64, _ result: inout CrewResult)
}

/// The result of a crew.
struct CrewResult {
    var tally = Tally()
    var violation: (any ViolationReport)?
}

/// The kind of rounds that a crew does.
enum Subject {
    /// Registrations of instances and of plain factories: which of them lookups find.
    case registrations
    /// Lazily created services: which instances are found, created and disposed of.
    case instances
}

/// Threads that do rounds together.
///
///   prepare   each thread makes the containers of its share of a batch of rounds
///   run       for each round: all threads wait for each other, then each does its part
///   check     each thread checks its share
///
/// So no checker runs during a round, and no thread waits for a checker.
final class Crew {
    /// The number of rounds that are prepared and checked together.
    private static let batch = 128
    /// The number of seconds after which a batch counts as hung.
    private static let seconds: UInt32 = 120
    /// The number of spins at a barrier before a thread yields its processor.
    private static let patience = 1000
    /// The same at the start of a round. There the threads that have arrived must still be running when the last one
    /// arrives, so they keep their processors for some milliseconds. If there are more threads than processors, they yield
    /// early, because the last thread may be waiting for a processor.
    private let patienceAtStart: Int

    private let settings: Settings
    private let subject: Subject
    private let threads: Int
    private let rounds: Int
    private let barrier: Barrier
    /// Each slot is written by one thread and read by all, with a barrier in between.
    private let slots: UnsafeMutableBufferPointer<(any CheckedRound)?>
    /// By thread. Each thread writes its own once. They are read when the threads have ended.
    private let results: UnsafeMutableBufferPointer<CrewResult>
    private let isOver = Atomic<Bool>(false)

    init(_ settings: Settings, _ subject: Subject, threads: Int, rounds: Int) {
        self.settings = settings
        self.subject = subject
        self.threads = threads
        self.rounds = rounds
        barrier = Barrier(threads: threads)
        patienceAtStart = threads <= har_processors() ? 40_000 : 1_000
        slots = .allocate(capacity: Self.batch)
        slots.initialize(repeating: nil)
        results = .allocate(capacity: threads)
        results.initialize(repeating: CrewResult())
    }

    deinit {
        slots.deinitialize()
        slots.deallocate()
        results.deinitialize()
        results.deallocate()
    }

    /// Does all rounds, or stops at the first violation or at the deadline.
    func work() -> CrewResult {
        runThreads(threads, work)
        return results.reduce(into: CrewResult()) { total, result in
            total.tally.add(result.tally)
            total.violation = total.violation ?? result.violation
        }
    }

    private func work(thread: Int) {
        var turn = 0
        var result = CrewResult()
        for begin in stride(from: 0, to: rounds, by: Self.batch) {
            // A batch takes milliseconds. If one hangs, the watchdog reports a violation and exits.
            if thread == 0 { har_watch(Self.seconds) }
            let batch = 0..<min(Self.batch, rounds - begin)
            let share = stride(from: thread, to: batch.count, by: threads)
            for slot in share { slots[slot] = round(begin + slot) }
            barrier.wait(&turn, patience: Self.patience)
            for slot in batch {
                slots[slot]?.run(thread: thread) { barrier.wait(&turn, patience: patienceAtStart) }
            }
            barrier.wait(&turn, patience: Self.patience)
            for slot in share {
                slots[slot]?.verify(threads: threads, warp: settings.warp, &result)
                slots[slot] = nil
            }
            if result.violation != nil { isOver.store(true, ordering: .relaxed) }
            if thread == 0, settings.isPastDeadline { isOver.store(true, ordering: .relaxed) }
            barrier.wait(&turn, patience: Self.patience)
            // Written before the barrier, so all threads read the same value.
            if isOver.load(ordering: .relaxed) { break }
        }
        results[thread] = result
    }

    private func round(_ index: Int) -> any CheckedRound {
        let number = settings.round ?? index
        switch subject {
        case .registrations:
            return Round(number: number, plan: Plan(seed: settings.seed, round: number, threads: threads))
        case .instances:
            return InstanceRound(
                number: number, plan: InstancePlan(seed: settings.seed, round: number, threads: threads))
        }
    }
}
