/// Lets tasks pass one at a time, in the order of their numbers.
///
/// Whether an order finds stock, and whether it is a duplicate, depends on the orders before it. Workers prepare batches
/// concurrently, but decide about them here in the order of the input, so the result does not depend on timing.
///
/// Numbers start with zero and have no gaps. Every task with a number must call `inTurn`, or the tasks behind it wait forever. If
/// tasks take their numbers one by one, every wait is for a task that is already running.
actor Sequencer {
    private var next = 0
    private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]

    /// Waits for a turn, runs a closure, and passes the turn on.
    func inTurn<Output: Sendable>(_ turn: Int, _ body: @Sendable () -> Output) async -> Output {
        if turn != next {
            await withCheckedContinuation { waiting[turn] = $0 }
        }
        let output = body()
        next += 1
        waiting.removeValue(forKey: next)?.resume()
        return output
    }
}
