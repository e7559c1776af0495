// Makes a history that no order explains smaller, so that somebody can read it.
//
// Each step keeps what it proves: if some order explained the larger history, one would explain the smaller one. So
// what is left over at the end is no artefact of what was left out:
//
//   cut       what was invoked after the unexplained return is left out; changes under way then may or may not have
//             happened, reads under way are left out
//   drop      a read is left out, which changes nothing for the others
//   forget    a registration is left out with all that names it: its removals, reads that found it, its places in reads
//             of whole stacks, and answers of canResolve that may have been due to it
//   settle    a change that was over before all else began is moved into the stacks at the beginning
//
// A removal or an overwriting alone must not be left out: it explains what others observed.

extension History {
    /// A smallest history that is still not linearizable, with the operation that no order explains.
    ///
    /// - Returns: Nil where this one is linearizable.
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

    /// Histories with something less in them, those with the least first.
    private func smaller() -> [History] {
        var known = Set(initial.joined())
        for operation in operations where operation.kind == .register { known.insert(operation.identifier) }
        let overwriting = Set(operations.filter { $0.kind == .overwrite }.map(\.identifier))
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
