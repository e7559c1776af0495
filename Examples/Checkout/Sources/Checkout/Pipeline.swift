import Synchronization

/// Processes orders from text to payment, with several concurrent workers.
///
/// ```text
///   read, price, tax, authorize  ->  decide, in line order  ->  charge, receipt, audit, total
///        concurrent workers               one at a time             concurrent workers
/// ```
///
/// Only the decisions depend on earlier orders. ``Sequencer`` makes them in the order of the input. The outcome depends on the
/// input and not on the number of workers.
struct Pipeline: Sendable {
    /// The outcome of a run.
    struct Outcome: Sendable {
        let summary: Summary
        /// The number of resolve calls.
        let resolves: Int
    }

    /// The number of concurrent tasks.
    let workers: Int

    /// Small enough to spread over the workers, large enough that the cost of taking a batch is negligible.
    private let batchSize = 64

    /// Processes all lines with the services of the current container.
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

/// Returns batches from first to last.
private final class Cursor: Sendable {
    private let taken = Atomic(0)

    func next(of count: Int, by size: Int) -> (turn: Int, indices: Range<Int>)? {
        // Relaxed: only the number matters. The lines existed before the workers started.
        let turn = taken.add(1, ordering: .relaxed).oldValue
        let start = turn * size
        return start < count ? (turn, start..<min(start + size, count)) : nil
    }
}
