// The rules of strict validation. Each of them looks at all registrations once.

extension Validation {
    /// The registrations of users that are not shadowed.
    private var services: [Node] { visible.filter { !$0.registration.identity.isOfLibrary } }

    mutating func findStrictly() {
        for node in services where wiring.isOpaque(node) {
            say(.init(opaque: node.registration, without: wiring.unknownNeed(of: node), wiring.source), of: [node])
        }
        findDuplicates()
        findMissingOptionals()
        for node in services where node.registration.replacesNothing && wiring.all(node.registration.key).count == 1 {
            say(.init(replacesNothing: node.registration), of: [node])
        }
        for root in roots where root.isSynchronous { findAsynchronous(behind: root) }
        findUnused()
    }

    /// Reports registrations that shadow another one of their container, unless they decorate it, or a list takes both.
    private mutating func findDuplicates() {
        let nodes = wiring.nodesByName.filter { !$0.registration.identity.isOfLibrary }
        let edges = nodes.compactMap { wiring.edges(of: $0) }.joined()
        let listed = Set(edges.filter { $0.requirement.kind == .all }.map(\.requirement.key))
        // The nodes of one container and key follow each other, newest first.
        for (node, next) in zip(nodes, nodes.dropFirst()) {
            guard node.level == next.level, node.registration.key == next.registration.key,
                !node.registration.isDecorator, !listed.contains(node.registration.key)
            else { continue }
            say(.init(duplicate: node.registration, of: next.registration), of: [node])
        }
    }

    private mutating func findMissingOptionals() {
        for node in services {
            for edge in wiring.edges(of: node) ?? [] where edge.requirement.kind == .optional && edge.targets.isEmpty {
                say(.init(optional: edge.service, of: node.registration, among: visibleRegistrations), of: [node])
            }
        }
    }

    /// Reports the services that a synchronous resolve call of a root cannot create. Singletons exist after `warmUp`.
    private mutating func findAsynchronous(behind root: DependencyRoot) {
        guard let start = wiring.newest(root.identity.key) else { return }
        var seen: Set<Wiring.Node> = []
        var paths = [[start]]
        while let path = paths.popLast() {
            let node = path[path.count - 1]
            guard seen.insert(node).inserted, !node.registration.isSingleton else { continue }
            if node.registration.isAsynchronous {
                say(.init(synchronous: path.map(\.registration)), of: [start])
            } else {
                for edge in wiring.edges(of: node) ?? [] where !edge.isLater {
                    paths += edge.targets.map { path + [$0] }
                }
            }
        }
    }

    /// Reports registrations that no root depends on, if there are roots and all their dependencies are known.
    private mutating func findUnused() {
        guard !roots.isEmpty else { return }
        // An instance that a factory has created had a caller.
        let created = visible.filter { node in
            !node.registration.isInstance && node.registration.hasInstance(for: wiring.resolution(of: node))
        }
        let used = wiring.nodes(from: roots.compactMap { wiring.newest($0.identity.key) } + created)
        if used.contains(where: wiring.isOpaque) { return }
        let known = Set(used.map(\.id))
        // A root cannot name arguments.
        for node in services where !known.contains(node.id) && node.registration.identity.arguments == nil {
            say(.init(unused: node.registration), of: [node])
        }
    }
}
