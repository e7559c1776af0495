// Who waits for whom, so that a wait that would never end is refused instead.
//
//     thread 1:  A is being created, and asks for B ---+
//                    ^                                 | waits
//           waits    |                                 v
//     thread 2:      +--- asks for A, in the course of B
//
// An edge leads from the innermost creation of whoever waits to the creation that is waited for. A creation cannot end before
// those that go on in its course, so it waits for all that they wait for. Invariant: the edges that are recorded have no
// cycle. Edges are added one at a time, under one lock, each after a look whether it would close one: of two threads that
// are about to wait for each other, the second finds the edge of the first.
//
// Only those who wait in the course of a creation are recorded: nobody can wait for the others.

/// The edges of the whole process. There are as many as there are creators that wait at the moment: few.
enum WaitGraph {
    private struct Edge {
        let waiter: Creation
        let target: Creation
    }

    private static let edges = Locked<[Edge]>([])

    /// Records that whoever creates `waiter` is going to wait for `target`.
    ///
    /// - Throws: The chain, where it would wait for itself. Then nothing is recorded.
    static func add(_ waiter: Creation, waitingFor target: Creation) throws(CircularWait) {
        try edges.withLock { edges throws(CircularWait) in
            if let chain = chain(from: target, to: waiter, edges) { throw CircularWait(chain: chain) }
            edges.append(Edge(waiter: waiter, target: target))
        }
    }

    static func remove(_ waiter: Creation, waitingFor target: Creation) {
        let removed = edges.withLock { edges -> Edge? in
            edges.firstIndex { $0.waiter === waiter && $0.target === target }.map { edges.remove(at: $0) }
        }
        withExtendedLifetime(removed) {}
    }

    /// The way on which a creation waits, through others, for one that goes on around another one; nil where there is none.
    private static func chain(from target: Creation, to waiter: Creation, _ edges: [Edge]) -> [Subject]? {
        var visited: [Creation] = []
        func search(_ creation: Creation, _ path: [Subject]) -> [Subject]? {
            if waiter.isInside(creation) {
                return creation.path(to: waiter) + path.dropLast() + [creation.subject]
            }
            if visited.contains(where: { $0 === creation }) { return nil }
            visited.append(creation)
            for edge in edges where edge.waiter.isInside(creation) {
                let way = path.dropLast() + creation.path(to: edge.waiter) + [edge.target.subject]
                if let found = search(edge.target, Array(way)) { return found }
            }
            return nil
        }
        return search(target, [target.subject])
    }
}

/// A wait that would never end.
struct CircularWait: Error {
    /// From a creation to itself.
    let chain: [Subject]
}
