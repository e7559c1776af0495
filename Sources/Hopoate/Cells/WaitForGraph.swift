// The wait-for graph: which creation waits for which. It refuses a wait that would deadlock.
//
// 1. The graph
//
//     thread 1:  runs the factory of A  ---- resolves B ---->  would wait for thread 2
//     thread 2:  runs the factory of B  ---- resolves A ---->  would wait for thread 1
//
// The nodes are creations. An edge leads from the innermost creation around a waiter to the creation that it waits for. A
// creation cannot end before the creations inside it, so it also waits for everything that they wait for. That is why each
// creation knows the waiting creations inside it (`Waits.inside`).
//
// Only callers inside a creation are recorded. Nobody can wait for other callers.
//
// Every creation of a thread can borrow a pending instance (CompletionGroup.swift). So it never waits for the creation of a pending
// instance, and the search ignores edges to such a creation.
//
// 2. Synchronization
//
// One lock for the whole process (`ProcessLock.waits`) guards `waits` of all creations.
//
// 3. Invariants
//
// 1. The recorded edges, together with the nesting of creations, have no cycle.
// 2. A creation is in `inside` of the creation around it exactly while it waits, or while a creation inside it does.
//
// 4. The race
//
// Two threads are about to wait for each other, as drawn above. If both searched before either recorded its edge, neither
// would find a cycle. So the search for a cycle and the recording of the edge are one critical section. The second thread finds
// the edge of the first, records nothing, and throws the chain.
//
// 5. Cost
//
// Recording an edge takes one step, plus one for each creation around the waiter that was not waiting before. The search visits
// the waits that are reachable from the target. If the target waits for nothing, there are none, however many callers wait for it.

/// An edge of the wait-for graph: a creation that waits for another one.
final class WaitEdge: Sendable {
    let waiter: Creation
    let target: Creation

    fileprivate init(_ waiter: Creation, waitingFor target: Creation) {
        self.waiter = waiter
        self.target = target
    }

    /// Removes the edge from the graph, because the wait is over.
    func remove() {
        ProcessLock.waits.withLock { waiter.removeLocked(self) }
    }
}

/// All edges of the process. They are stored in the creations.
enum WaitForGraph {
    /// The waits of one creation. Under the lock.
    final class Waits {
        /// The edges from the creation to those that it waits for.
        fileprivate var edges: [ObjectIdentifier: WaitEdge] = [:]
        /// The creations directly inside it that wait, or that contain waiting ones.
        fileprivate var inside: [ObjectIdentifier: Creation] = [:]

        fileprivate var isEmpty: Bool { edges.isEmpty && inside.isEmpty }
    }

    /// Adds the edge of a creation that is going to wait for another one.
    ///
    /// - Returns: The edge; nil if the target has an instance by now, so that there is nothing to wait for.
    /// - Throws: The chain, if the creation would wait for itself. Then no edge is added.
    static func add(_ waiter: Creation, waitingFor target: Creation) throws(CircularWait) -> WaitEdge? {
        let edge = WaitEdge(waiter, waitingFor: target)
        // One critical section, because of the race.
        let isAdded = try ProcessLock.waits.withLock { () throws(CircularWait) in
            if target.hasInstance { return false }
            if let chain = chain(from: target, to: waiter) { throw CircularWait(chain: chain) }
            waiter.addLocked(edge)
            return true
        }
        return isAdded ? edge : nil
    }

    /// Records that the instance of a creation exists. From now on the creation waits for nothing that another one may wait for.
    static func markAsExisting(_ creation: Creation) {
        ProcessLock.waits.withLock { creation.hasInstance = true }
    }

    /// Returns the chain of services that a creation creates or waits for, down to one that waits for nothing, and that last creation.
    ///
    /// If a creation waits for several others, the chain follows one of them.
    static func chain(from creation: Creation) -> (chain: [ServiceIdentity], last: Creation) {
        ProcessLock.waits.withLock {
            var chain = [creation.identity]
            var last = creation
            // By invariant 1 there is no cycle.
            while let edge = edge(inside: last) {
                chain += last.path(to: edge.waiter).dropFirst() + [edge.target.identity]
                last = edge.target
            }
            return (chain, last)
        }
    }

    /// Returns an edge of a creation, or of one inside it; nil if nothing in it waits.
    private static func edge(inside creation: Creation) -> WaitEdge? {
        var inside = [creation]
        while let creation = inside.popLast() {
            guard let waits = creation.waits else { continue }
            if let edge = waits.edges.values.first(where: { !$0.target.hasInstance }) { return edge }
            inside.append(contentsOf: waits.inside.values)
        }
        return nil
    }

    /// Returns the chain on which a target waits, directly or not, for a creation around the waiter; nil if there is none.
    private static func chain(from target: Creation, to waiter: Creation) -> [ServiceIdentity]? {
        if waiter.isInside(target) { return path(to: waiter, through: [], from: target) }
        // How the search reached each creation: by which edge, and from which creation. The target is missing.
        var arrivals: [ObjectIdentifier: (edge: WaitEdge, from: Creation)] = [:]
        var targets = [target]
        while let current = targets.popLast() {
            var inside = [current]
            while let creation = inside.popLast() {
                guard let waits = creation.waits else { continue }
                inside.append(contentsOf: waits.inside.values)
                for edge in waits.edges.values {
                    let next = edge.target
                    // The waiter of an edge to an instance has been woken, and is about to remove it (race B of CompletionGroup).
                    if next === target || next.hasInstance || arrivals[ObjectIdentifier(next)] != nil { continue }
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

    /// Returns the edges of the search from its start to a creation, in this order.
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

    /// Returns the chain of services from a creation, through some edges, back to that creation.
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
    /// Whether the creation waits, or one inside it does.
    private var isWaitingLocked: Bool { !(waits?.isEmpty ?? true) }

    private var madeWaitsLocked: WaitForGraph.Waits {
        if let waits { return waits }
        let made = WaitForGraph.Waits()
        waits = made
        return made
    }

    fileprivate final func addLocked(_ edge: WaitEdge) {
        var creation = self
        var isKnown = isWaitingLocked
        madeWaitsLocked.edges[ObjectIdentifier(edge)] = edge
        while !isKnown, let outer = creation.outer {
            isKnown = outer.isWaitingLocked
            outer.madeWaitsLocked.inside[ObjectIdentifier(creation)] = creation
            creation = outer
        }
    }

    fileprivate final func removeLocked(_ edge: WaitEdge) {
        waits?.edges[ObjectIdentifier(edge)] = nil
        var creation = self
        while !creation.isWaitingLocked, let outer = creation.outer {
            outer.waits?.inside[ObjectIdentifier(creation)] = nil
            creation = outer
        }
    }
}

/// A wait that would never end.
struct CircularWait: Error {
    /// The services of the cycle. The first one is also the last one.
    let chain: [ServiceIdentity]
}
