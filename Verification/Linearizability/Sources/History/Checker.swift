// Decides whether some sequential order explains a history, by just-in-time linearization.
//
// A history is linearizable if each operation can get a linearization point between its invocation and its return, so that
// plain stacks give the observed results if the operations are applied in the order of these points (Herlihy and Wing,
// 1990). Wing and Gong (1993) search for such an order depth first. Lowe (Testing for linearizability, 2017) searches in the
// order of time, and so does this checker:
//
//   configuration   a possible state of the stacks, and the operations in progress that already have their point
//
//   invocation      one more operation is in progress; the configurations stay as they are
//   return          in each configuration in which the operation has no point yet, it gets one now, alone or after any of
//                   the other operations in progress, in any order; configurations in which this is impossible are dropped
//
// If no configuration is left, no order explains the operations that have returned so far. It is enough to assign points
// at returns. In any order that explains the history, an operation that comes before the returning one and has no point
// yet is in progress as well, because an operation precedes all operations that are invoked after its return. Equal
// configurations are kept once (the memoisation). There are few, because they differ only by the order of operations that
// overlap.
//
// Invocations come before returns of the same reading, so operations that touch at one reading count as overlapping.

/// The result of checking a history.
public struct Verdict: Sendable {
    /// The index of the operation at whose return no order was left; nil if the history is linearizable.
    public var unexplained: Int?
    /// The number of operations that overlapped with another one. If there is an unexplained one, only up to that.
    public var overlapping = 0

    /// Whether some order explains the whole history.
    public var isLinearizable: Bool { unexplained == nil }
}

private struct Configuration: Hashable {
    var stacks: Stacks
    /// One bit for each entry of `Checker.underWay`: whether its operation has its linearization point.
    var done: UInt64 = 0
}

private struct Checker {
    let operations: [Operation]
    var configurations: [Configuration]
    /// The operations in progress (invoked and not returned), each in its own entry.
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
            // The usual case, without a copy: one operation in progress and one configuration.
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

/// Checks one history without splitting it; see `History.partitioned()`.
public func check(_ history: History) -> Verdict {
    // An event has a stamp, whether it is a return, and the operation.
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
