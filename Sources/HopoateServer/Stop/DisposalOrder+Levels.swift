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
//
// Some uses by handles are certain, and the used instance is newer than its user. As a cycle of possible uses, this would end in the
// reverse order of creation, so the used instance would end first. Therefore the instances come in the order that `usedFirst` has made
// of the certain uses, and everything above holds for that order.

package import Hopoate

extension DisposalOrder {
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
        let graph = UseGraph(instances, groups)
        var levels: [[Int]] = []
        for (instance, level) in graph.levels().enumerated().reversed() {
            while levels.count <= level { levels.append([]) }
            levels[level].append(instance)
        }
        return levels
    }
}

/// The graph of the possible uses.
private struct UseGraph {
    private let count: Int
    private let edges: [[Int]]

    init(_ instances: [DisposalOrder.Uses], _ groups: [DisposalOrder.Uses]) {
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
    func levels() -> [Int] {
        let (components, componentOfNode) = DisposalOrder.components(of: edges)
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
}
