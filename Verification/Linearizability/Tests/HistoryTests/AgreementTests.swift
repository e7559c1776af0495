import History
import Testing

/// The definition of linearizability: there is an order of the operations that gives the observed results, in which no
/// operation comes before one that had returned at its invocation. Tries all orders.
private func someOrderExplains(_ operations: [Operation], stack: [Identifier]) -> Bool {
    if operations.allSatisfy(\.isPending) { return true }
    for (index, operation) in operations.enumerated() {
        guard operations.allSatisfy({ $0.returned >= operation.invoked }) else { continue }
        var rest = operations
        rest.remove(at: index)
        var next = stack
        var fits = true
        switch operation.kind {
        case .register: next.insert(operation.identifier, at: 0)
        case .overwrite: next = [operation.identifier]
        case .remove: next.removeAll { $0 == operation.identifier }
        case .removeAll: next = []
        case .commit: next = [operation.identifier]
        case .resolve, .optionalResolve, .borrow: fits = (stack.first ?? .none) == operation.identifier
        case .canResolve: fits = (operation.identifier != .none) == !stack.isEmpty
        case .resolveAll: fits = stack == operation.stack
        case .look: fits = operation.stack == [operation.identifier]
        }
        if fits, someOrderExplains(rest, stack: next) { return true }
    }
    return false
}

/// A random history of three threads and six operations with plausible results.
private func randomHistory(_ random: inout some RandomNumberGenerator) -> History {
    let kinds: [Operation.Kind] = [
        .register, .overwrite, .remove, .removeAll, .optionalResolve, .canResolve, .resolveAll,
    ]
    var operations: [Operation] = []
    var changes: [Identifier] = [1]
    for thread in 0..<3 {
        var now: UInt64 = 0
        for _ in 0..<2 {
            let invoked = now + .random(in: 1...4, using: &random)
            now = invoked + .random(in: 0...6, using: &random)
            var operation = Operation(
                kinds.randomElement(using: &random) ?? .register, thread: thread, invoked: invoked, returned: now)
            if operation.kind == .register || operation.kind == .overwrite {
                operation.identifier = Identifier(changes.count + 1)
                changes.append(operation.identifier)
            }
            operations.append(operation)
        }
    }
    for index in operations.indices {
        switch operations[index].kind {
        case .remove: operations[index].identifier = changes.randomElement(using: &random) ?? .none
        case .optionalResolve, .canResolve:
            operations[index].identifier = ([.none] + changes).randomElement(using: &random) ?? .none
        case .resolveAll:
            operations[index].stack = Array(changes.shuffled(using: &random).prefix(.random(in: 0...2, using: &random)))
        default: break
        }
        let isLast = index % 2 == 1
        if isLast, !operations[index].kind.isRead, Int.random(in: 0..<4, using: &random) == 0 {
            operations[index].returned = .max
        }
    }
    return History(keys: 0..<1, initial: [[1]], operations: operations)
}

private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state ^ state >> 33) &* 0xFF51_AFD7_ED55_8CCD
    }
}

struct Agreement {
    @Test(arguments: 1...8) func checkerAgreesWithTheDefinition(seed: UInt64) {
        var random = Numbers(state: seed)
        var linearizable = 0
        let histories = 2000
        for _ in 0..<histories {
            let history = randomHistory(&random)
            let expected = someOrderExplains(history.operations, stack: [1])
            #expect(check(history).isLinearizable == expected, "\(history.operations)")
            linearizable += expected ? 1 : 0
        }
        #expect(histories / 10..<histories * 9 / 10 ~= linearizable, "one of the two answers is hardly asked for")
    }

    @Test(arguments: 1...8) func whatIsLeftAfterShrinkingIsNotLinearizableByTheDefinition(seed: UInt64) {
        var random = Numbers(state: seed)
        for _ in 0..<500 {
            let history = randomHistory(&random)
            guard let (smallest, unexplained) = history.shrunk() else { continue }
            #expect(smallest.operations.indices.contains(unexplained))
            #expect(smallest.operations.count <= history.operations.count)
            #expect(!someOrderExplains(smallest.operations, stack: smallest.initial[0].reversed()))
        }
    }
}
