/// One walk along all edges of a wiring, which collects the findings.
struct Validation {
    typealias Node = Wiring.Node

    let wiring: Wiring
    /// The registrations that are not shadowed.
    let visible: [Node]
    let roots: [DependencyRoot]
    private let rules: DependencyValidationRules

    private var findings: [DependencyValidationError.Finding] = []
    /// For each finding, the nodes that have it: a registration may be visited from several containers.
    private var owners: [Set<Node>] = []
    /// The index of each finding by its text.
    private var said: [String: Int] = [:]

    private var checked = 0
    private var unknown: [DependencyDescription] = []
    /// The registrations that were counted or listed.
    private var counted: Set<ObjectIdentifier> = []

    /// The visited nodes; true while a node is on the path.
    private var visited: [Node: Bool] = [:]
    /// Nodes still to visit, each as the start of a new path.
    private var pending: [Node] = []

    /// Dependencies that only a child of the resolving container has, each with its node.
    private var outOfReach: [Gap] = []
    /// Those of them that findings of shared services explain.
    private var explained: Set<Gap> = []
    /// For each of them, the shared services that would keep the missing service.
    private var captors: [Gap: Set<Node>] = [:]
    /// For each node, the shared services that create it as a part of themselves.
    private var creators: [Node: Set<Node>] = [:]

    /// A node, and a dependency that it misses.
    private struct Gap: Hashable {
        let node: Node
        let dependency: ServiceIdentity
    }

    /// A node on the path, and the edges that leave it.
    private struct Step {
        let node: Node
        let targets: [Node]
        var next = 0
    }

    init(_ wiring: Wiring, _ rules: DependencyValidationRules, roots: [DependencyRoot] = []) {
        self.wiring = wiring
        self.rules = rules
        visible = wiring.nodesByName.filter { !wiring.isHidden($0) }
        self.roots = roots
    }

    /// Runs the validation. Call it once.
    mutating func report() throws(DependencyValidationError) -> DependencyValidationReport {
        run()
        findings.removeAll { rules.allow($0) }
        if !findings.isEmpty { throw DependencyValidationError(findings) }
        return DependencyValidationReport(checked: checked, unknown: unknown)
    }

    private mutating func run() {
        findMissingRoots()
        pending = visible.reversed()
        while let node = pending.popLast() {
            if visited[node] == nil { walk(from: node) }
        }
        for gap in outOfReach where !isExplained(gap) {
            say(.init(outOfReach: gap.dependency, neededBy: gap.node.registration), of: [gap.node])
        }
        if rules.isStrict { findStrictly() }
        if !findings.isEmpty { nameRoots() }
    }

    private mutating func walk(from start: Node) {
        var path = [enter(start)]
        while var step = path.popLast() {
            guard step.next < step.targets.count else {
                visited[step.node] = false
                continue
            }
            let target = step.targets[step.next]
            step.next += 1
            path.append(step)
            switch visited[target] {
            case nil: path.append(enter(target))
            case true?:
                let cycle = path.drop { $0.node != target }.map(\.node)
                say(.init(circular: cycle.map(\.registration)), of: cycle)
            case false?: break
            }
        }
    }

    private mutating func enter(_ node: Node) -> Step {
        visited[node] = true
        let registration = node.registration
        let isNew = counted.insert(node.id).inserted
        let edges = wiring.edges(of: node) ?? []
        let isUnknown = registration.requirements == nil && wiring.isOpaque(node)
        if isNew, isUnknown {
            unknown.append(DependencyDescription(wiring.node(registration, in: node.level), in: wiring))
        }
        if isNew, !isUnknown { checked += 1 }
        for edge in edges where edge.isMissing {
            if isOutOfReach(edge) {
                outOfReach.append(Gap(node: node, dependency: edge.missing))
            } else if edge.requirement.kind == .all {
                say(.init(emptyList: edge.missing, of: edge.service, neededBy: registration), of: [node])
            } else {
                say(.init(missing: edge.missing, neededBy: registration, among: visibleRegistrations), of: [node])
            }
        }
        if node.registration.ownership.isRegistration { findCaptives(of: node) }
        var targets: [Node] = []
        for edge in edges {
            if edge.isLater { pending += edge.targets } else { targets += edge.targets }
        }
        return Step(node: node, targets: targets)
    }

    /// Reports services that a shared service would keep, and that belong to one container or may end earlier. It follows transient
    /// services, since the shared service owns those too, and handles, which resolve as a part of it.
    private mutating func findCaptives(of owningService: Node) {
        /// How a path has reached a node.
        struct Visit: Hashable {
            let node: Node
            /// Whether no parameter on the path is a handle.
            let isNow: Bool
            /// Whether no parameter on the path is a provider.
            let isKept: Bool
        }
        var seen: Set<Visit> = []
        var paths = [(nodes: [owningService], visit: Visit(node: owningService, isNow: true, isKept: true))]
        while let (path, visit) = paths.popLast() {
            let last = path[path.count - 1]
            creators[last, default: []].insert(owningService)
            for edge in wiring.edges(of: last) ?? [] where !edge.isDetached {
                let isNow = visit.isNow && !edge.isLater
                let isKept = visit.isKept && edge.requirement.keepsInstance
                if isNow, isOutOfReach(edge) {
                    let gap = Gap(node: last, dependency: edge.missing)
                    explained.insert(gap)
                    captors[gap, default: []].insert(owningService)
                    say(.init(captive: edge.service, outOfReachOf: path.map(\.registration)), of: [owningService])
                }
                for target in edge.targets {
                    let visit = Visit(node: target, isNow: isNow, isKept: isKept)
                    guard seen.insert(visit).inserted else { continue }
                    switch target.registration.ownership {
                    case .container:
                        say(.init(captive: (path + [target]).map(\.registration)), of: [owningService])
                        explainOutOfReach(from: target)
                    case .caller: paths.append((path + [target], visit))
                    case .expiring where isKept && owningService.registration.ownership == .registration:
                        say(.init(captiveExpiring: (path + [target]).map(\.registration)), of: [owningService])
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
        for node in wiring.nodes(from: [captive]) where !node.registration.ownership.isRegistration {
            for edge in wiring.edges(of: node) ?? [] where isOutOfReach(edge) {
                explained.insert(Gap(node: node, dependency: edge.missing))
            }
        }
    }

    /// Whether findings explain a dependency that is out of reach, for all shared services that create the node with the dependency.
    private func isExplained(_ gap: Gap) -> Bool {
        explained.contains(gap) && creators[gap.node, default: []].isSubset(of: captors[gap, default: []])
    }

    /// Whether only a child of the resolving container has a dependency.
    private func isOutOfReach(_ edge: Wiring.Edge) -> Bool {
        edge.isMissing && wiring.newest(edge.service.key) != nil
    }

    mutating func say(_ finding: DependencyValidationError.Finding, of nodes: [Node]) {
        let text = finding.description
        if said[text] == nil {
            said[text] = findings.count
            findings.append(finding)
            owners.append([])
        }
        if let index = said[text] { owners[index].formUnion(nodes) }
    }

    var visibleRegistrations: [AnyServiceRegistration] { visible.map(\.registration) }
}

// MARK: - Roots

extension Validation {
    /// Reports each service that is a root and not registered, with all its roots.
    private mutating func findMissingRoots() {
        var indices: [AnyServiceKey: Int] = [:]
        for root in roots where wiring.newest(root.identity.key) == nil {
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
        var reached: [Node: Set<Node>] = [:]
        for root in roots {
            guard let start = wiring.newest(root.identity.key) else { continue }
            let nodes = reached[start] ?? Set(wiring.nodes(from: [start]))
            reached[start] = nodes
            for index in findings.indices where !owners[index].isDisjoint(with: nodes) {
                findings[index].roots.append(root)
            }
        }
    }
}
