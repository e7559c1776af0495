// How the uses that Hopoate has found (UseSearch.swift) become levels.

import Hopoate

extension DisposalOrder {
    /// Returns the levels of some children, in parallel, and then those of their container.
    ///
    /// - Parameters:
    ///   - children: The levels of the children.
    ///   - disposals: The disposals of the container, newest first.
    ///   - container: The container, which still has its registrations.
    static func levels(
        _ children: [[[Disposal]]], _ disposals: [Disposal], _ container: DependencyContainer
    ) -> [[Disposal]] {
        let first = (0..<(children.map(\.count).max() ?? 0)).map { level in
            children.flatMap { level < $0.count ? $0[level] : [] }
        }
        return first + levels(of: disposals, in: container)
    }

    /// Returns the levels in which the instances of a container are disposed of.
    ///
    /// - Parameters:
    ///   - disposals: The disposals of the container, newest first.
    ///   - container: The container, which still has its registrations.
    private static func levels(of disposals: [Disposal], in container: DependencyContainer) -> [[Disposal]] {
        let disposals = UseSearch.order(of: disposals, in: container)
        if container.mayMissRegistrations { return disposals.map { [$0] } }
        var uses = PossibleUses(disposals.reversed(), in: container)
        let (instances, groups) = uses.run()
        return levels(instances, groups: groups).map { level in level.map { uses.disposals[$0] } }
    }
}

/// Finds the instances that each instance of a container may use.
private struct PossibleUses {
    /// How a service leads to something that the search cannot look into.
    private struct Doubt: OptionSet {
        let rawValue: UInt8
        /// It was resolved when the instance was created.
        static let now = Doubt(rawValue: 1)
        /// It may be resolved later.
        static let later = Doubt(rawValue: 2)
    }

    /// Oldest first.
    let disposals: [Disposal]
    /// The edges of each instance; nil for one that may use anything.
    private let known: [[UseSearch.Edge]?]
    private let services: [UseSearch.Service]
    /// The doubt of each service.
    private var doubts: [Doubt]
    /// The smallest number of a disposal and all newer ones.
    private let smallestNumbers: [UInt32]

    init(_ disposals: [Disposal], in container: DependencyContainer) {
        var search = UseSearch(disposals, container)
        self.disposals = disposals
        known = search.run()
        services = search.services
        doubts = services.map { $0.isContainer ? [.now, .later] : $0.isOpaque ? .now : [] }
        var smallest = UInt32.max
        smallestNumbers = disposals.reversed().map { disposal in
            smallest = min(smallest, disposal.number)
            return smallest
        }.reversed()
    }

    /// Returns the uses of the instances, and of the services as groups.
    mutating func run() -> (instances: [DisposalOrder.Uses], groups: [DisposalOrder.Uses]) {
        spreadDoubts()
        var groups = services.map { service in
            DisposalOrder.Uses(
                service.instances + service.edges.map { number(of: $0.service) },
                oldest: oldest(before: service.lastInstance))
        }
        var uses: [DisposalOrder.Uses] = []
        // A group for each instance with a completion: the instance, and the group before. Newer instances end before them.
        var lastCompleted: Int?
        for (index, disposal) in disposals.enumerated() {
            var others = known[index]?.map { number(of: $0.service) } ?? []
            if let lastCompleted { others.append(lastCompleted) }
            uses.append(DisposalOrder.Uses(others, oldest: known[index].map { oldest($0, from: index) } ?? index))
            if disposal.hasCompletion {
                groups.append(DisposalOrder.Uses([index] + (lastCompleted.map { [$0] } ?? [])))
                lastCompleted = disposals.count + groups.count - 1
            }
        }
        return (uses, groups)
    }

    /// The number of a service among the instances and groups.
    private func number(of service: Int) -> Int { disposals.count + service }

    /// The number of oldest instances that an instance may use because of doubts.
    private func oldest(_ edges: [UseSearch.Edge], from instance: Int) -> Int {
        let doubt = edges.reduce(into: Doubt()) { $0.formUnion(self.doubt(along: $1)) }
        if doubt.contains(.later) { return disposals.count }
        return doubt.contains(.now) ? instance : 0
    }

    /// The number of oldest instances that existed before a registration of the container.
    private func oldest(before number: Int) -> Int {
        var range = smallestNumbers.startIndex..<smallestNumbers.endIndex
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            if smallestNumbers[middle] < number {
                range = middle + 1..<range.upperBound
            } else {
                range = range.lowerBound..<middle
            }
        }
        return range.lowerBound
    }

    // MARK: - Doubts

    /// The doubt that a use of a service brings.
    private func doubt(along edge: UseSearch.Edge) -> Doubt {
        let doubt = doubts[edge.service]
        return edge.isLater && !doubt.isEmpty ? .later : doubt
    }

    /// Passes the doubts of services on to all services that use them.
    private mutating func spreadDoubts() {
        var users: [[(user: Int, edge: UseSearch.Edge)]] = services.map { _ in [] }
        for (user, service) in services.enumerated() {
            for edge in service.edges { users[edge.service].append((user, edge)) }
        }
        var changed = services.indices.filter { !doubts[$0].isEmpty }
        while let service = changed.popLast() {
            for (user, edge) in users[service] {
                let doubt = doubt(along: edge)
                if doubts[user].isSuperset(of: doubt) { continue }
                doubts[user].formUnion(doubt)
                changed.append(user)
            }
        }
    }
}
