// The order of disposal: levels of instances that end in parallel.
//
// The input says which instances may use which others. It has groups, too: things without a hook, which also use instances. With groups,
// the input is linear in the number of registrations, although an instance may use any instance that was created before it.
//
// The nodes of the graph are the instances, the groups, and one prefix for each instance. Prefix k stands for the k oldest instances:
//
//   instance or group  --->  the others that it uses
//   instance or group  --->  prefix k, if it may use the k oldest instances
//   prefix k           --->  instance k-1 and prefix k-1
//
// Invariants:
//
// 1. If an instance may use another one, directly or not, and not the other way round, it is in an earlier level.
// 2. Instances that may use each other are in different levels, in the reverse order of creation.
// 3. An instance is in the first level that the other two invariants allow.
//
// So if nothing is known, and each instance may use all older ones, each level has one instance, in the reverse order of creation.

// Uses that are certain
//
// All these uses are possible ones, and most say only that an instance may use all older ones. Some uses by handles are certain, and the used
// instance is newer than its user. As a cycle of possible uses, this would end in the reverse order of creation, so the used instance
// would end first. Therefore such an instance is moved first: it counts as created before its user, as if the user had resolved it when it
// was created. `usedFirst` makes this order of the certain uses. Everything above then holds for that order. Certain uses that are a cycle
// move nothing.

/// The levels in which instances are disposed of. Instances are numbers, in the order of their creation.
package struct DisposalOrder {
    /// The instances that an instance or a group may use.
    package struct Uses {
        /// The numbers of instances and groups. Those of the groups come after those of the instances.
        package var others: [Int]
        /// The number of the oldest instances, all of which may be used.
        package var oldest: Int

        package init(_ others: [Int] = [], oldest: Int = 0) {
            self.others = others
            self.oldest = oldest
        }
    }

    /// Returns the levels, in the order of disposal. In a level, the newest instance comes first.
    ///
    /// - Complexity: O(n log n) in the number of instances, groups and uses.
    package static func levels(_ instances: [Uses], groups: [Uses] = []) -> [[Int]] {
        let order = DisposalOrder(instances, groups)
        var levels: [[Int]] = []
        for (instance, level) in order.levels().enumerated().reversed() {
            while levels.count <= level { levels.append([]) }
            levels[level].append(instance)
        }
        return levels
    }

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

    private let count: Int
    private let edges: [[Int]]

    private init(_ instances: [Uses], _ groups: [Uses]) {
        let count = instances.count
        let firstPrefix = count + groups.count - 1
        var edges = (instances + groups).map { uses in
            uses.oldest > 0 ? uses.others + [firstPrefix + uses.oldest] : uses.others
        }
        for instance in 0..<count { edges.append(instance > 0 ? [instance, firstPrefix + instance] : [instance]) }
        self.count = count
        self.edges = edges
    }

    /// The level of each instance.
    private func levels() -> [Int] {
        let (components, componentOfNode) = Self.components(of: edges)
        var levels = [Int](repeating: 0, count: count)
        var first = [Int](repeating: 0, count: components.count)
        // Users come before the nodes that they use.
        for (component, nodes) in components.enumerated().reversed() {
            var level = first[component]
            for instance in nodes.filter({ $0 < count }).sorted(by: >) {
                levels[instance] = level
                level += 1
            }
            for target in nodes.lazy.flatMap({ edges[$0] }).map({ componentOfNode[$0] }) where target != component {
                first[target] = max(first[target], level)
            }
        }
        return levels
    }

    /// The strongly connected components, each before its users: Tarjan's algorithm, without recursion.
    private static func components(of edges: [[Int]]) -> (nodes: [[Int]], ofNode: [Int]) {
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
