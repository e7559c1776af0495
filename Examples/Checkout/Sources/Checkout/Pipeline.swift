import Synchronization

/// Takes orders from text to money, with several workers at once.
///
/// ```text
///   read, price, tax, authorize  ->  decide, in line order  ->  charge, receipt, audit, total
///        workers side by side          one after the other         workers side by side
/// ```
///
/// Only what depends on the orders before is done in the middle, where ``Sequencer`` keeps the order of the input.
/// The outcome is a function of the input, whatever the number of workers.
struct Pipeline: Sendable {
    /// What a run comes to.
    struct Outcome: Sendable {
        let summary: Summary
        /// How often a service was asked for.
        let resolves: Int
    }

    /// How many tasks work.
    let workers: Int

    /// Small enough to spread over the workers, large enough that taking one costs nothing to speak of.
    private let batchSize = 64

    /// Takes all lines through, with the services of the current container.
    func run(_ lines: InputLines) async -> Outcome {
        let cursor = Cursor()
        let sequencer = Sequencer()
        let parts = await withTaskGroup(of: Outcome.self) { group in
            for _ in 0..<workers {
                group.addTask {
                    var worker = Worker(lines: lines, sequencer: sequencer)
                    while let (turn, indices) = cursor.next(of: lines.count, by: batchSize) {
                        await worker.run(indices, turn: turn)
                    }
                    return Outcome(summary: worker.summary, resolves: worker.services.count)
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        return Outcome(summary: .merge(parts.map(\.summary)), resolves: parts.reduce(0) { $0 + $1.resolves })
    }
}

/// Hands out batches, from the first to the last.
private final class Cursor: Sendable {
    private let taken = Atomic(0)

    func next(of count: Int, by size: Int) -> (turn: Int, indices: Range<Int>)? {
        // Only the number matters; the lines have been there since before the workers.
        let turn = taken.add(1, ordering: .relaxed).oldValue
        let start = turn * size
        return start < count ? (turn, start..<min(start + size, count)) : nil
    }
}
