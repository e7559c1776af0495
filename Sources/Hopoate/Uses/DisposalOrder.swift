// Uses that are certain
//
// Instances are disposed of in the reverse order of creation. A use by a handle is certain, and the used instance is newer than its user:
// in that order, the used instance would end first. Therefore such an instance is moved first: it counts as created before its user, as
// if the user had resolved it when it was created. `usedFirst` makes this order of the certain uses. Certain uses that are a cycle move
// nothing.

/// The order in which instances are disposed of. Instances are numbers, in the order of their creation.
package enum DisposalOrder {
    /// Returns the instances in the order of their creation, changed so that each comes after the instances that it certainly uses.
    ///
    /// Uses that are a part of a cycle change nothing.
    ///
    /// - Parameters:
    ///   - count: The number of instances.
    ///   - uses: The uses of each instance, and of each group after them.
    /// - Complexity: O(n log n) in the number of instances, groups and uses.
    package static func usedFirst(_ count: Int, _ uses: [[Int]]) -> [Int] {
        let (_, component) = components(of: uses)
        let edges = uses.enumerated().map { user, used in used.filter { component[$0] != component[user] }.sorted() }
        var order: [Int] = []
        var isReached = [Bool](repeating: false, count: uses.count)
        // A search without recursion, which leaves a node after all nodes behind it.
        var path: [(node: Int, next: Int)] = []
        for root in 0..<count where !isReached[root] {
            isReached[root] = true
            path.append((root, 0))
            while let (node, next) = path.last {
                guard next < edges[node].count else {
                    path.removeLast()
                    if node < count { order.append(node) }
                    continue
                }
                path[path.count - 1].next += 1
                let target = edges[node][next]
                if isReached[target] { continue }
                isReached[target] = true
                path.append((target, 0))
            }
        }
        return order
    }

    /// The strongly connected components, each before its users: Tarjan's algorithm, without recursion.
    package static func components(of edges: [[Int]]) -> (nodes: [[Int]], ofNode: [Int]) {
        let none = -1
        var components: [[Int]] = []
        var componentOfNode = [Int](repeating: none, count: edges.count)
        var index = [Int](repeating: none, count: edges.count)
        var low = index
        var visited = 0
        var stack: [Int] = []
        var path: [(node: Int, next: Int)] = []

        func enter(_ node: Int) {
            index[node] = visited
            low[node] = visited
            visited += 1
            stack.append(node)
            path.append((node, 0))
        }

        func leave(_ node: Int) {
            path.removeLast()
            if let user = path.last?.node { low[user] = min(low[user], low[node]) }
            guard low[node] == index[node] else { return }
            let start = stack.lastIndex(of: node) ?? 0
            for member in stack[start...] { componentOfNode[member] = components.count }
            components.append(Array(stack[start...]))
            stack.removeSubrange(start...)
        }

        for root in edges.indices where index[root] == none {
            enter(root)
            while let (node, next) = path.last {
                guard next < edges[node].count else {
                    leave(node)
                    continue
                }
                path[path.count - 1].next += 1
                let target = edges[node][next]
                if index[target] == none {
                    enter(target)
                } else if componentOfNode[target] == none {
                    low[node] = min(low[node], index[target])
                }
            }
        }
        return (components, componentOfNode)
    }
}
