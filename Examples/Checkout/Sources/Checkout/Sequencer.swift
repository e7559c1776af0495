/// Lets tasks pass one at a time, in the order of the numbers that they hold.
///
/// Whether an order finds stock, and whether it is a duplicate, depends on the orders before it. So that the result
/// does not depend on who was faster, the workers prepare batches side by side, but decide about them here, in the
/// order of the input.
///
/// Numbers begin with zero and have no gaps. Whoever holds one must come, or those behind wait for ever; who took the
/// numbers one by one never waits for anybody who is not already on the way.
actor Sequencer {
    private var next = 0
    private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]

    /// Waits for a turn, does something, and gives the turn to the next.
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
