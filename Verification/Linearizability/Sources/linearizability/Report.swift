import History

/// What was checked.
struct Tally {
    private(set) var rounds = 0
    private(set) var overlappingRounds = 0
    private(set) var operations = 0
    /// Operations that overlapped with one of another thread on the same key.
    private(set) var overlapping = 0
    private var byKind = [Int](repeating: 0, count: Operation.Kind.allCases.count)

    /// The audit's operations are checked but not counted: nothing happens at their time.
    mutating func add(_ history: History, overlapping count: Int) {
        rounds += 1
        overlappingRounds += count > 0 ? 1 : 0
        overlapping += count
        for operation in history.operations where operation.thread != .max {
            operations += 1
            byKind[Int(operation.kind.rawValue)] += 1
        }
    }

    mutating func add(_ other: Tally) {
        rounds += other.rounds
        overlappingRounds += other.overlappingRounds
        operations += other.operations
        overlapping += other.overlapping
        for index in byKind.indices { byKind[index] += other.byKind[index] }
    }

    var kinds: String {
        Operation.Kind.allCases.map { "\($0) \(byKind[Int($0.rawValue)])" }.joined(separator: ", ")
    }
}

/// A history that no order explains.
struct Violation {
    var round: Int
    var threads: Int
    /// Of one key, or of all where a `removeAll` is among the operations.
    var history: History
    /// Of all keys.
    var whole: History

    func report(seed: UInt64) -> String {
        guard let (smallest, unexplained) = history.shrunk() else { preconditionFailure("a violation that is none") }
        let wrong = smallest.operations[unexplained]
        return """
            VIOLATION  seed \(seed), round \(round), threads \(threads)
            \(smallest.table(unexplained: wrong))

            That is what is left of the whole round when all is left out that does not matter:
            \(whole.table(unexplained: wrong))

            The same plan, again and again: linearizability --seed \(seed) --threads \(threads) --round \(round)
            """
    }
}

func percent(_ part: Int, of whole: Int) -> String {
    let tenths = whole == 0 ? 0 : part * 1000 / whole
    return "\(tenths / 10).\(tenths % 10) %"
}
