// Which creation waits for which, so that a wait that would never end is refused instead.
//
//     thread 1:  A is being created, and asks for B ---+
//                    ^                                 | waits
//           waits    |                                 v
//     thread 2:      +--- asks for A, in the course of B
//
// An edge leads from the innermost creation of a waiter to the creation that it waits for. A creation cannot end before those
// that go on in its course, so it waits for all that they wait for: each creation knows the waiting ones inside of it.
//
// Invariant: the recorded edges have no cycle. Edges are added one at a time, under one lock, each after a search whether it
// would close a cycle: of two threads that are about to wait for each other, the second finds the edge of the first.
//
// Cost: recording takes one step, and one for each creation around the waiter inside of which nothing has waited before. The
// search visits the waits that are reachable from the target: none for a target that waits for nothing, however many callers
// wait for it.
//
// Only callers inside of a creation are recorded: nobody can wait for the others.

/// A creation that waits for another one.
final class WaitEdge: Sendable {
    fileprivate let waiter: Creation
    fileprivate let target: Creation

    fileprivate init(_ waiter: Creation, waitingFor target: Creation) {
        self.waiter = waiter
        self.target = target
    }

    /// The wait is over.
    func remove() {
        WaitForGraph.lock.withLock { count in
            count -= 1
            waiter.removeLocked(self)
        }
    }
}

/// The edges of the whole process. They are in the lists of the creations.
enum WaitForGraph {
    /// Guards the lists. It holds how many edges there are; something that has a size, or ThreadSanitizer takes its accesses for
    /// ones to its neighbour.
    fileprivate static let lock = Locked(0)

    /// Records that a creation is going to wait for another one.
    ///
    /// - Throws: The chain, if it would wait for itself. Then nothing is recorded.
    static func add(_ waiter: Creation, waitingFor target: Creation) throws(CircularWait) -> WaitEdge {
        let edge = WaitEdge(waiter, waitingFor: target)
        try lock.withLock { count throws(CircularWait) in
            if let chain = chain(from: target, to: waiter) { throw CircularWait(chain: chain) }
            count += 1
            waiter.addLocked(edge)
        }
        return edge
    }

    /// The way on which a creation waits, through others, for one around another creation; nil if there is none.
    private static func chain(from target: Creation, to waiter: Creation) -> [ServiceIdentity]? {
        if waiter.isInside(target) { return path(to: waiter, through: [], from: target) }
        // The edge on which each creation was reached, and the target at whose end that began; the first was reached on none.
        var arrivals: [ObjectIdentifier: (edge: WaitEdge, from: Creation)] = [:]
        var targets = [target]
        while let current = targets.popLast() {
            var inside = [current]
            while let creation = inside.popLast() {
                inside.append(contentsOf: creation.waitingInside.values)
                for edge in creation.waits.values {
                    let next = edge.target
                    if next === target || arrivals[ObjectIdentifier(next)] != nil { continue }
                    arrivals[ObjectIdentifier(next)] = (edge, current)
                    if waiter.isInside(next) {
                        return path(to: waiter, through: steps(to: next, arrivals), from: target)
                    }
                    targets.append(next)
                }
            }
        }
        return nil
    }

    private static func steps(
        to target: Creation, _ arrivals: [ObjectIdentifier: (edge: WaitEdge, from: Creation)]
    ) -> [(edge: WaitEdge, from: Creation)] {
        var steps: [(edge: WaitEdge, from: Creation)] = []
        var step = arrivals[ObjectIdentifier(target)]
        while let current = step {
            steps.append(current)
            step = arrivals[ObjectIdentifier(current.from)]
        }
        return steps.reversed()
    }

    private static func path(
        to waiter: Creation, through steps: [(edge: WaitEdge, from: Creation)], from target: Creation
    ) -> [ServiceIdentity] {
        var path = [target.identity]
        for step in steps {
            path = path.dropLast() + step.from.path(to: step.edge.waiter) + [step.edge.target.identity]
        }
        let last = steps.last?.edge.target ?? target
        return last.path(to: waiter) + path.dropLast() + [last.identity]
    }
}

extension Creation {
    private var isWaitingLocked: Bool { !waits.isEmpty || !waitingInside.isEmpty }

    fileprivate final func addLocked(_ edge: WaitEdge) {
        var creation = self
        var isKnown = isWaitingLocked
        waits[ObjectIdentifier(edge)] = edge
        while !isKnown, let outer = creation.outer {
            isKnown = outer.isWaitingLocked
            outer.waitingInside[ObjectIdentifier(creation)] = creation
            creation = outer
        }
    }

    fileprivate final func removeLocked(_ edge: WaitEdge) {
        waits[ObjectIdentifier(edge)] = nil
        var creation = self
        while !creation.isWaitingLocked, let outer = creation.outer {
            outer.waitingInside[ObjectIdentifier(creation)] = nil
            creation = outer
        }
    }
}

/// A wait that would never end.
struct CircularWait: Error {
    /// From a creation to itself.
    let chain: [ServiceIdentity]
}
