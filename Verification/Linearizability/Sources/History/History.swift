/// The operations of several threads on some keys of one container.
public struct History: Sendable {
    /// The keys of the operations.
    public var keys: Range<Int>
    /// Their stacks before any of the operations, oldest first.
    public var initial: [[Identifier]]
    /// In any order.
    public var operations: [Operation]

    /// Makes a history. There must be an initial stack for each key.
    public init(keys: Range<Int>, initial: [[Identifier]], operations: [Operation]) {
        precondition(initial.count == keys.count, "each key has a stack to begin with")
        self.keys = keys
        self.initial = initial
        self.operations = operations
    }

    /// One history for each key that was used, if checking these is equivalent. Otherwise the whole history.
    ///
    /// It is equivalent because linearizability is local (Herlihy and Wing, 1990, theorem 1): a history of several objects is
    /// linearizable if and only if the history of each object is. Keys are such objects as long as no operation touches
    /// two of them. `removeAll` and `commit` do, so a history that contains one stays whole.
    public func partitioned() -> [History] {
        if operations.contains(where: { $0.kind == .removeAll || $0.kind == .commit }) { return [self] }
        var parts = [[Operation]](repeating: [], count: keys.count)
        for operation in operations { parts[Int(operation.key) - keys.lowerBound].append(operation) }
        return parts.indices.compactMap { index in
            let key = keys.lowerBound + index
            return parts[index].isEmpty
                ? nil : History(keys: key..<key + 1, initial: [initial[index]], operations: parts[index])
        }
    }
}
