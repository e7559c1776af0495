import History

/// Counts of the operations that were checked.
struct Tally {
    private(set) var rounds = 0
    private(set) var overlappingRounds = 0
    private(set) var operations = 0
    /// Operations that overlapped with one of another thread on the same key.
    private(set) var overlapping = 0
    private var byKind: [String: Int] = [:]

    /// The audit's operations are checked but not counted, because no other operation runs at the same time.
    mutating func add(_ history: History, overlapping count: Int) {
        rounds += 1
        overlappingRounds += count > 0 ? 1 : 0
        overlapping += count
        for operation in history.operations where operation.thread != .max {
            self.count("\(operation.kind)")
        }
    }

    /// The round's own calls are checked but not counted. Creations and disposals are listed, but do not count as operations.
    mutating func add(_ history: InstanceHistory, overlapping count: Int) {
        rounds += 1
        overlappingRounds += count > 0 ? 1 : 0
        overlapping += count
        for call in history.calls where call.thread != .max {
            self.count(call.kind == .resolve ? "resolve: \(call.answer)" : "\(call.kind)")
        }
        byKind["(creations)", default: 0] += history.creations.count
        byKind["(disposals)", default: 0] += history.disposals.count
    }

    private mutating func count(_ kind: String) {
        operations += 1
        byKind[kind, default: 0] += 1
    }

    mutating func add(_ other: Tally) {
        rounds += other.rounds
        overlappingRounds += other.overlappingRounds
        operations += other.operations
        overlapping += other.overlapping
        byKind.merge(other.byKind) { $0 + $1 }
    }

    var kinds: String {
        byKind.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }
}

/// A history that breaks a rule, as text.
protocol ViolationReport {
    func report(seed: UInt64) -> String
}

/// A history of instances that breaks a rule.
struct InstanceViolation: ViolationReport {
    var round: Int
    var threads: Int
    var history: InstanceHistory
    var flaws: [InstanceFlaw]

    func report(seed: UInt64) -> String {
        """
        VIOLATION  seed \(seed), round \(round), threads \(threads)
        \(history.table(flaws))

        The same plan, again and again: \
        linearizability --instances --seed \(seed) --threads \(threads) --round \(round)
        """
    }
}

/// A history that no order explains.
struct Violation: ViolationReport {
    var round: Int
    var threads: Int
    /// The history of one key, or of all keys if it has a `removeAll` or a commit.
    var history: History
    /// The history of all keys.
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
