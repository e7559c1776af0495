import CHarness
import Synchronization

/// What several threads do to a container together, and the check of it.
protocol CheckedRound: AnyObject {
    /// Does what one thread has to do. It passes the start when all of them have come there.
    func run(thread: Int, start: () -> Void)
    /// Checks what has happened and counts it. When all threads are through.
    func verify(threads: Int, warp: UInt64, _ result: inout CrewResult)
}

/// What a crew has found.
struct CrewResult {
    var tally = Tally()
    var violation: (any ViolationReport)?
}

/// Which rounds a crew does.
enum Subject {
    /// Registrations of instances and of plain factories: what is found.
    case registrations
    /// Lazily created services: which instances are found, created and disposed of.
    case instances
}

/// Some threads that do rounds together.
///
///   prepare   each thread makes the containers of its share of a batch of rounds
///   run       for each round: all wait for each other, then each does its part
///   check     each thread checks its share
///
/// so that the threads are all that runs while a round runs, and none waits for the checker.
final class Crew {
    /// How many rounds are prepared and checked together.
    private static let batch = 128
    /// After how many seconds a batch hangs.
    private static let seconds: UInt32 = 120
    /// How often a thread looks whether the others have come, before it gives its processor away.
    private static let patience = 1000
    /// The same at the start of a round, when those who have come must still be running as the last one comes. So they hold
    /// on to their processors for some milliseconds; unless there are more threads than processors, so that the last one
    /// may be waiting for one of theirs.
    private let patienceAtStart: Int

    private let settings: Settings
    private let subject: Subject
    private let threads: Int
    private let rounds: Int
    private let barrier: Barrier
    /// Slot by slot written by one thread and read by all, with a barrier between.
    private let slots: UnsafeMutableBufferPointer<(any CheckedRound)?>
    /// By thread. Each thread writes its own, once, and all are read when the threads have ended.
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

    /// Does all rounds, or as many as there are until a violation or the deadline.
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
            // A batch takes milliseconds. One that hangs is a violation, and ends the process.
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
            // Written before the barrier, so all threads read the same.
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
