/// One walk along all edges of a snapshot, which collects the findings.
struct Validation {
    private typealias Node = ContainerSnapshot.Node

    private let snapshot: ContainerSnapshot
    private let roots: [DependencyRoot]

    private var findings: [DependencyValidationError.Finding] = []
    /// For each finding, the nodes that have it: a registration may be visited from several containers.
    private var owners: [Set<Node.ID>] = []
    /// The index of each finding by its text.
    private var said: [String: Int] = [:]

    private var checked = 0
    private var unknown: [DependencyDescription] = []
    /// The registrations that were counted or listed.
    private var counted: Set<ObjectIdentifier> = []

    /// The visited nodes; true while a node is on the path.
    private var visited: [Node.ID: Bool] = [:]
    /// Nodes still to visit, each as the start of a new path.
    private var pending: [Node] = []

    /// Dependencies that only a child of the resolving container has, each with its node.
    private var outOfReach: [(node: Node, dependency: ServiceIdentity)] = []
    /// Those of them that findings of shared services explain.
    private var explained: Set<Edge> = []
    /// For each of them, the shared services that would keep the missing service.
    private var captors: [Edge: Set<Node.ID>] = [:]
    /// For each node, the shared services that create it as a part of themselves.
    private var creators: [Node.ID: Set<Node.ID>] = [:]

    private struct Edge: Hashable {
        let node: Node.ID
        let dependency: AnyServiceKey

        init(_ node: Node, _ dependency: ServiceIdentity) {
            self.node = node.id
            self.dependency = dependency.key
        }
    }

    /// A node on the path, and the edges that leave it.
    private struct Step {
        let node: Node
        let targets: [Node]
        var next = 0
    }

    init(_ snapshot: ContainerSnapshot, roots: [DependencyRoot] = []) {
        self.snapshot = snapshot
        self.roots = roots
    }

    /// Runs the validation. Call it once.
    mutating func report() throws(DependencyValidationError) -> DependencyValidationReport {
        run()
        if !findings.isEmpty { throw DependencyValidationError(findings) }
        return DependencyValidationReport(checked: checked, unknown: unknown)
    }

    private mutating func run() {
        findMissingRoots()
        pending = snapshot.entries.filter { !$0.isHidden }.map { snapshot.node($0, askedAt: 0) }.reversed()
        while let node = pending.popLast() {
            if visited[node.id] == nil { walk(from: node) }
        }
        for (node, dependency) in outOfReach where !isExplained(Edge(node, dependency)) {
            say(.init(outOfReach: dependency, neededBy: node.entry.registration), of: [node])
        }
        if !findings.isEmpty { nameRoots() }
    }

    private mutating func walk(from start: Node) {
        var path = [enter(start)]
        while var step = path.popLast() {
            guard step.next < step.targets.count else {
                visited[step.node.id] = false
                continue
            }
            let target = step.targets[step.next]
            step.next += 1
            path.append(step)
            switch visited[target.id] {
            case nil: path.append(enter(target))
            case true?:
                let cycle = path.drop { $0.node.id != target.id }.map(\.node)
                say(.init(circular: cycle.map(\.entry.registration)), of: cycle)
            case false?: break
            }
        }
    }

    private mutating func enter(_ node: Node) -> Step {
        visited[node.id] = true
        let registration = node.entry.registration
        let isNew = counted.insert(ObjectIdentifier(registration)).inserted
        guard let arrows = snapshot.arrows(of: node) else {
            if isNew { unknown.append(DependencyDescription(node.entry, in: snapshot)) }
            return Step(node: node, targets: [])
        }
        if isNew { checked += 1 }
        for arrow in arrows where arrow.isMissing {
            if isOutOfReach(arrow, of: node) {
                outOfReach.append((node, arrow.missing))
            } else if arrow.requirement.kind == .all {
                say(
                    .init(emptyList: arrow.parameter, of: arrow.requirement.identity, neededBy: registration),
                    of: [node])
            } else {
                say(.init(missing: arrow.missing, neededBy: registration, among: visibleRegistrations), of: [node])
            }
        }
        if node.ownership.isRegistration { findCaptives(of: node) }
        var targets: [Node] = []
        for arrow in arrows {
            if arrow.requirement.kind == .later { pending += arrow.targets } else { targets += arrow.targets }
        }
        return Step(node: node, targets: targets)
    }

    /// Reports services that a shared service would keep, and that belong to one container or may end earlier. It follows transient
    /// services, since the shared service owns those too, and handles, which resolve as a part of it.
    private mutating func findCaptives(of owningService: Node) {
        /// How a path has reached a node.
        struct Visit: Hashable {
            let node: Node.ID
            /// Whether no parameter on the path is a handle.
            let isNow: Bool
            /// Whether no parameter on the path is a provider.
            let isKept: Bool
        }
        var seen: Set<Visit> = []
        var paths = [(nodes: [owningService], visit: Visit(node: owningService.id, isNow: true, isKept: true))]
        while let (path, visit) = paths.popLast() {
            let last = path[path.count - 1]
            creators[last.id, default: []].insert(owningService.id)
            for arrow in snapshot.arrows(of: last) ?? [] {
                let dependency = arrow.requirement.identity
                let isNow = visit.isNow && arrow.requirement.kind != .later
                let isKept = visit.isKept && arrow.requirement.keepsInstance
                if isNow, isOutOfReach(arrow, of: last) {
                    let edge = Edge(last, arrow.missing)
                    explained.insert(edge)
                    captors[edge, default: []].insert(owningService.id)
                    say(.init(captive: dependency, outOfReachOf: path.map(\.entry.registration)), of: [owningService])
                }
                for target in arrow.targets {
                    let visit = Visit(node: target.id, isNow: isNow, isKept: isKept)
                    guard seen.insert(visit).inserted else { continue }
                    switch target.ownership {
                    case .container:
                        say(.init(captive: (path + [target]).map(\.entry.registration)), of: [owningService])
                        explainOutOfReach(from: target)
                    case .caller: paths.append((path + [target], visit))
                    case .expiring where isKept && owningService.ownership == .registration:
                        say(.init(captiveExpiring: (path + [target]).map(\.entry.registration)), of: [owningService])
                    case .registration, .expiring: break
                    }
                }
            }
        }
    }

    /// Excludes the dependencies of a captive service from the findings: another lifetime for the captive service moves them too.
    private mutating func explainOutOfReach(from captive: Node) {
        // Nothing is out of reach of the validated container, and shared services have findings of their own.
        guard captive.home > 0 else { return }
        for node in nodes(from: captive) where !node.ownership.isRegistration {
            for arrow in snapshot.arrows(of: node) ?? [] where isOutOfReach(arrow, of: node) {
                explained.insert(Edge(node, arrow.missing))
            }
        }
    }

    /// Whether findings explain a dependency that is out of reach, for all shared services that create the node with the dependency.
    private func isExplained(_ edge: Edge) -> Bool {
        explained.contains(edge) && creators[edge.node, default: []].isSubset(of: captors[edge, default: []])
    }

    /// Whether only a child of the resolving container has a dependency.
    private func isOutOfReach(_ arrow: ContainerSnapshot.Arrow, of node: Node) -> Bool {
        arrow.isMissing && snapshot.isRegistered(arrow.requirement.identity.key, below: node.home)
    }

    private mutating func say(_ finding: DependencyValidationError.Finding, of nodes: [Node]) {
        let text = finding.description
        if said[text] == nil {
            said[text] = findings.count
            findings.append(finding)
            owners.append([])
        }
        if let index = said[text] { owners[index].formUnion(nodes.map(\.id)) }
    }

    /// The registrations that are not shadowed.
    private var visibleRegistrations: [AnyServiceRegistration] {
        snapshot.entries.filter { !$0.isHidden }.map(\.registration)
    }
}

// MARK: - Roots

extension Validation {
    /// Reports each service that is a root and not registered, with all its roots.
    private mutating func findMissingRoots() {
        var indices: [AnyServiceKey: Int] = [:]
        for root in roots where snapshot.all(root.identity.key, from: 0).isEmpty {
            if let index = indices[root.identity.key] {
                findings[index].roots.append(root)
            } else {
                indices[root.identity.key] = findings.count
                findings.append(.init(missing: root, among: visibleRegistrations))
                owners.append([])
            }
        }
    }

    /// Adds to each finding the roots that depend on a service that has it.
    private mutating func nameRoots() {
        var reached: [Node.ID: Set<Node.ID>] = [:]
        for root in roots {
            guard let entry = snapshot.all(root.identity.key, from: 0).first else { continue }
            let start = snapshot.node(entry, askedAt: 0)
            let nodes = reached[start.id] ?? Set(nodes(from: start).map(\.id))
            reached[start.id] = nodes
            for index in findings.indices where !owners[index].isDisjoint(with: nodes) {
                findings[index].roots.append(root)
            }
        }
    }

    /// Returns a node and all nodes that it depends on, now or later.
    private func nodes(from start: Node) -> [Node] {
        var seen: Set = [start.id]
        var nodes = [start]
        var next = 0
        while next < nodes.count {
            for target in (snapshot.arrows(of: nodes[next]) ?? []).flatMap(\.targets)
            where seen.insert(target.id).inserted {
                nodes.append(target)
            }
            next += 1
        }
        return nodes
    }
}
