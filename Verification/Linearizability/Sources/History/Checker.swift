// Decides whether some sequential order explains a history, by just-in-time linearization.
//
// A history is linearizable when each operation can be given one moment between its invocation and its return so that
// the plain stacks, taken through the operations in the order of these moments, give the answers that were observed
// (Herlihy and Wing, 1990). Wing and Gong (1993) search for such an order by depth; Lowe (Testing for linearizability,
// 2017) does it in the order of time, and that is what this is:
//
//   configuration   what the stacks may be now, and which of the operations under way have had their moment already
//
//   invocation      one more operation is under way; the configurations stay as they are
//   return          in each configuration where it has not had its moment, it gets it now, alone or after any of the
//                   others under way in any order; configurations from which it cannot be reached die
//
// Where no configuration is left, no order explains what has returned until here. Nothing is lost by giving moments
// only at returns: in any order that explains the history, what stands before the returning operation and has not had
// its moment is under way as well, since an operation precedes all those that are invoked after its return. Equal
// configurations are kept once (that is the memoisation), and there are few: they differ only by the order of
// operations that overlap.
//
// Invocations come before returns of the same reading, so operations that touch at one reading count as overlapping.

/// What the check of a history says.
public struct Verdict: Sendable {
    /// The operation at whose return no order was left, as an index; nil where the history is linearizable.
    public var unexplained: Int?
    /// How many operations overlapped with another one. Up to the unexplained one, where there is one.
    public var overlapping = 0

    /// Whether some order explains all of it.
    public var isLinearizable: Bool { unexplained == nil }
}

private struct Configuration: Hashable {
    var stacks: Stacks
    /// One bit for each place in `Checker.underWay`: whether its operation has had its moment.
    var done: UInt64 = 0
}

private struct Checker {
    let operations: [Operation]
    var configurations: [Configuration]
    /// Operations that were invoked and have not returned, each in a place of its own.
    var underWay: [Int?] = []
    var count = 0

    init(_ history: History) {
        operations = history.operations
        configurations = [Configuration(stacks: Stacks(history))]
    }

    mutating func invoke(_ operation: Int) {
        count += 1
        if let free = underWay.firstIndex(of: nil) {
            underWay[free] = operation
        } else {
            underWay.append(operation)
            precondition(underWay.count <= UInt64.bitWidth, "more operations under way than a mask has bits")
        }
    }

    /// Returns whether a configuration is left.
    mutating func finish(_ operation: Int) -> Bool {
        guard let place = underWay.firstIndex(of: operation) else { preconditionFailure("a return without a call") }
        defer {
            underWay[place] = nil
            count -= 1
        }
        if count == 1, configurations.count == 1, configurations[0].done == 0 {
            // Alone and certain: the usual case, without a copy.
            return configurations[0].stacks.apply(operations[operation])
        }
        let bit = UInt64(1) << UInt64(place)
        var seen = Set(configurations)
        var open = configurations
        var left = Set<Configuration>()
        while var configuration = open.popLast() {
            if configuration.done & bit != 0 {
                configuration.done &= ~bit
                left.insert(configuration)
                continue
            }
            for (place, other) in underWay.enumerated() {
                guard let other, configuration.done & (1 << UInt64(place)) == 0 else { continue }
                var next = configuration
                guard next.stacks.apply(operations[other]) else { continue }
                next.done |= 1 << UInt64(place)
                if seen.insert(next).inserted { open.append(next) }
            }
        }
        configurations = Array(left)
        return !left.isEmpty
    }
}

/// Checks one history as it is; see `History.partitioned()`.
public func check(_ history: History) -> Verdict {
    // An event is a stamp, one bit for the return, and the operation.
    var events = [(moment: UInt64, isReturn: Bool, operation: Int)]()
    events.reserveCapacity(history.operations.count * 2)
    for (index, operation) in history.operations.enumerated() {
        precondition(operation.invoked <= operation.returned, "an operation returns before its invocation")
        events.append((operation.invoked, false, index))
        if !operation.isPending { events.append((operation.returned, true, index)) }
    }
    events.sort { $0.moment != $1.moment ? $0.moment < $1.moment : !$0.isReturn && $1.isReturn }

    var verdict = Verdict()
    var overlaps = [Bool](repeating: false, count: history.operations.count)
    var checker = Checker(history)
    for event in events {
        if event.isReturn {
            if !checker.finish(event.operation) {
                verdict.unexplained = event.operation
                break
            }
        } else {
            checker.invoke(event.operation)
            if checker.count > 1 {
                for case let other? in checker.underWay { overlaps[other] = true }
            }
        }
    }
    verdict.overlapping = overlaps.reduce(0) { $0 + ($1 ? 1 : 0) }
    return verdict
}
