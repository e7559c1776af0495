import CHarness
import History
import Synchronization

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
    /// How often a thread looks whether the others have come, before it gives its processor away.
    private static let patience = 1000
    /// The same at the start of a round, when those who have come must still be running as the last one comes. So they hold
    /// on to their processors for some milliseconds; unless there are more threads than processors, so that the last one
    /// may be waiting for one of theirs.
    private let patienceAtStart: Int

    private let settings: Settings
    private let threads: Int
    private let rounds: Int
    private let barrier: Barrier
    /// Slot by slot written by one thread and read by all, with a barrier between.
    private let slots: UnsafeMutableBufferPointer<Round?>
    /// By thread. Each thread writes its own, once, and all are read when the threads have ended.
    private let results: UnsafeMutableBufferPointer<Result>
    private let isOver = Atomic<Bool>(false)

    struct Result {
        var tally = Tally()
        var violation: Violation?
    }

    init(_ settings: Settings, threads: Int, rounds: Int) {
        self.settings = settings
        self.threads = threads
        self.rounds = rounds
        barrier = Barrier(threads: threads)
        patienceAtStart = threads <= har_processors() ? 40_000 : 1_000
        slots = .allocate(capacity: Self.batch)
        slots.initialize(repeating: nil)
        results = .allocate(capacity: threads)
        results.initialize(repeating: Result())
    }

    deinit {
        slots.deinitialize()
        slots.deallocate()
        results.deinitialize()
        results.deallocate()
    }

    /// Does all rounds, or as many as there are until a violation or the deadline.
    func work() -> Result {
        runThreads(threads, work)
        return results.reduce(into: Result()) { total, result in
            total.tally.add(result.tally)
            total.violation = total.violation ?? result.violation
        }
    }

    private func work(thread: Int) {
        var turn = 0
        var result = Result()
        for begin in stride(from: 0, to: rounds, by: Self.batch) {
            let batch = 0..<min(Self.batch, rounds - begin)
            let share = stride(from: thread, to: batch.count, by: threads)
            for slot in share { slots[slot] = round(begin + slot) }
            barrier.wait(&turn, patience: Self.patience)
            for slot in batch {
                slots[slot]?.run(thread: thread) { barrier.wait(&turn, patience: patienceAtStart) }
            }
            barrier.wait(&turn, patience: Self.patience)
            for slot in share {
                if let round = slots[slot] { verify(round, &result) }
            }
            if thread == 0, settings.isPastDeadline { isOver.store(true, ordering: .relaxed) }
            barrier.wait(&turn, patience: Self.patience)
            // Written before the barrier, so all threads read the same.
            if isOver.load(ordering: .relaxed) { break }
        }
        results[thread] = result
    }

    private func round(_ index: Int) -> Round {
        let number = settings.round ?? index
        return Round(number: number, plan: Plan(seed: settings.seed, round: number, threads: threads))
    }

    private func verify(_ round: Round, _ result: inout Result) {
        let history = round.history().widened(by: settings.warp)
        var overlapping = 0
        for part in history.partitioned() {
            let verdict = check(part)
            overlapping += verdict.overlapping
            if !verdict.isLinearizable {
                result.violation = Violation(round: round.number, threads: threads, history: part, whole: history)
                isOver.store(true, ordering: .relaxed)
            }
        }
        result.tally.add(history, overlapping: overlapping)
    }
}

extension History {
    /// With each operation lengthened at both ends.
    fileprivate func widened(by ticks: UInt64) -> History {
        if ticks == 0 { return self }
        var history = self
        for index in operations.indices {
            history.operations[index].invoked -= ticks
            history.operations[index].returned += ticks
        }
        return history
    }
}
