// Makes a history that no order explains smaller, so that a person can read it.
//
// Each step preserves the proof: if some order explained the larger history, one would explain the smaller one. So the
// remaining violation is not an artefact of the operations that were removed:
//
//   cut       removes the operations that were invoked after the unexplained return, and the reads that were in progress
//             then; changes that were in progress may or may not have happened
//   drop      removes a read, which changes nothing for the others
//   forget    removes a registration with every mention of it: its removals, reads that found it, its entries in reads of
//             whole stacks, and results of canResolve that it may explain
//   settle    moves a change that ended before all others began into the initial stacks
//
// A removal, an overwrite or a commit must not be removed alone: it explains the results of other operations.

extension History {
    /// Returns a smallest history that is still not linearizable, with the operation that no order explains.
    ///
    /// - Returns: Nil if this history is linearizable.
    public func shrunk() -> (history: History, unexplained: Int)? {
        guard var smallest = cut() else { return nil }
        var isSmaller = true
        while isSmaller {
            isSmaller = false
            for candidate in smallest.history.smaller() {
                guard let result = candidate.cut() else { continue }
                smallest = result
                isSmaller = true
                break
            }
        }
        return smallest
    }

    private func cut() -> (history: History, unexplained: Int)? {
        guard let unexplained = check(self).unexplained else { return nil }
        let end = operations[unexplained].returned
        var kept = self
        kept.operations = []
        var index = 0
        for (position, var operation) in operations.enumerated() where operation.invoked <= end {
            if operation.returned > end {
                if operation.kind.isRead { continue }
                operation.returned = .max
            }
            if position == unexplained { index = kept.operations.count }
            kept.operations.append(operation)
        }
        return (kept, index)
    }

    /// Smaller histories, the smallest ones first.
    private func smaller() -> [History] {
        var known = Set(initial.joined())
        for operation in operations where operation.kind == .register { known.insert(operation.identifier) }
        let overwriting = Set(
            operations.filter { $0.kind == .overwrite || $0.kind == .commit }.flatMap { [$0.identifier] + $0.stack })
        let forgetting = known.subtracting(overwriting).sorted().map(forgetting)
        let dropping = operations.indices.filter { operations[$0].kind.isRead }.map { index in
            var smaller = self
            smaller.operations.remove(at: index)
            return smaller
        }
        return settled().map { [$0] + forgetting + dropping } ?? forgetting + dropping
    }

    private func forgetting(_ identifier: Identifier) -> History {
        var smaller = self
        smaller.initial = initial.map { $0.filter { $0 != identifier } }
        smaller.operations = operations.compactMap { operation in
            guard operation.identifier != identifier else { return nil }
            if operation.kind == .canResolve, operation.identifier != .none { return nil }
            var operation = operation
            if operation.kind == .resolveAll { operation.stack.removeAll { $0 == identifier } }
            return operation
        }
        return smaller
    }

    private func settled() -> History? {
        guard let first = operations.indices.min(by: { operations[$0].returned < operations[$1].returned }),
            !operations[first].kind.isRead,
            operations.indices.allSatisfy({ $0 == first || operations[first].returned < operations[$0].invoked })
        else { return nil }
        var stacks = Stacks(self)
        _ = stacks.apply(operations[first])
        var smaller = self
        smaller.operations.remove(at: first)
        smaller.initial = stacks.stacks
        return smaller
    }
}
