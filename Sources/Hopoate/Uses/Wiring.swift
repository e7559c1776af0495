// The wiring of a container and its parents: their registrations, and the services that the factory of each one resolves.
//
// A node is a registration, as resolved through one of the containers. An edge is a parameter of its initializer, with the nodes that it
// resolves to. All walks over requirements ask the wiring, so they follow the same rules, which are those of resolving:
//
// 1. A parameter resolves to the newest registration of its very type, in the nearest container that has one. If there is none, it resolves
//    to that of the type that it wraps. A list resolves to all registrations of its element type.
// 2. The owner of the instance decides in which container, the *home*, the factory looks its parameters up:
//
//        owned by the registration (singleton, weak, keyed, cached)   in the container that holds the registration
//        owned by nobody, a graph, or the container that is asked     in the container that is asked
//
//    So the edges of a registration can depend on the container through which it is resolved.
// 3. A lazy dependency or a provider is resolved later. Each other parameter is resolved before the initializer runs.
// 4. Each parameter needs a registration, unless it is an optional.
// 5. An opaque registration may also resolve services that its parameters do not name: in a factory closure, a decorator or a completion.
//    So may each service that gets a container.
// 6. A test may know the needs of closures from the source (SourceWiring.swift). They are edges as well. If they are complete, the
//    registration is not opaque.
//
// A wiring is a snapshot, or reads the containers at each call. It creates nothing and locks nothing. UseSearch.swift departs from rule 1:
// an instance may be older than the newest registration.

/// The registrations of a container and its parents, and the services that they need.
package struct Wiring {
    /// A registration as resolved through one of the containers.
    package struct Node: Hashable {
        package let registration: AnyServiceRegistration
        /// The level of the container that holds the registration: 0 in the container itself, 1 in its parent.
        package let level: Int
        /// The level of the container in which the factory resolves its dependencies.
        let home: Int

        /// The identity of the registration.
        package var id: ObjectIdentifier { ObjectIdentifier(registration) }

        package static func == (one: Node, other: Node) -> Bool { one.id == other.id && one.home == other.home }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(id)
            hasher.combine(home)
        }
    }

    /// A dependency of a factory, and the registrations that it resolves to.
    package struct Edge {
        /// The type of the parameter.
        let parameter: ServiceIdentity
        let requirement: Requirement
        package let targets: [Node]
        /// Whether other code than a handle resolves the service later. It may do so in another container.
        var isDetached = false

        /// The service that the factory resolves.
        package var service: ServiceIdentity { requirement.identity }
        /// Whether the factory resolves the service after the creation of its own one.
        package var isLater: Bool { requirement.kind == .later }
        package var isMissing: Bool { targets.isEmpty && requirement.mustBeRegistered }
        /// The service that is not registered. If the parameter is a list, the type of the list.
        package var missing: ServiceIdentity { requirement.kind == .all ? parameter : requirement.identity }
    }

    /// The container, its parent, and so on.
    package let containers: [DependencyContainer]
    /// The registrations of each container, newest first; nil if the wiring reads the containers at each call.
    private let stacks: [[AnyServiceKey: [AnyServiceRegistration]]]?
    /// The needs of closures; nil if no test has attached them.
    let source: SourceWiring?
    /// The level of the container of a commit; nil if there is none, and if the wiring is no snapshot. A snapshot shows what will be after the
    /// commit: the services of the container that it changes find the new ones.
    private let staging: Int?

    /// Creates a snapshot.
    ///
    /// - Parameter readsSource: Whether the snapshot joins the needs that a test has attached.
    package init(_ container: DependencyContainer, readsSource: Bool = true) {
        containers = container.chain
        stacks = containers.map { Dictionary(grouping: $0.registry.registrations(), by: \.key) }
        source = readsSource ? container.sourceWiring : nil
        staging = containers.firstIndex { $0.role == .staging }
    }

    /// Creates a wiring that reads the containers at each call, for a walk that visits few of the registrations.
    init(live container: DependencyContainer) {
        containers = container.chain
        stacks = nil
        source = nil
        staging = nil
    }

    // MARK: - Nodes

    /// The registrations of a snapshot, by level.
    private var snapshot: [[AnyServiceKey: [AnyServiceRegistration]]] {
        guard let stacks else { preconditionFailure("only a snapshot lists its nodes") }
        return stacks
    }

    /// All nodes of a snapshot, resolved through the container itself: by level, then in the order of their addition.
    package var nodes: [Node] {
        snapshot.enumerated().flatMap { level, stacks in
            stacks.values.joined().sorted { $0.number < $1.number }.map { node($0, in: level) }
        }
    }

    /// The same nodes: by level, then by type and name, then newest first.
    package var nodesByName: [Node] {
        snapshot.enumerated().flatMap { level, stacks in
            stacks.values
                .map { (type: $0[0].identity.shortType, text: $0[0].identity.description, stack: $0) }
                .sorted { ($0.type, $0.text, $1.stack[0].number) < ($1.type, $1.text, $0.stack[0].number) }
                .flatMap { $0.stack.map { node($0, in: level) } }
        }
    }

    /// All nodes of a key, in the order in which a resolve call of the container at a level finds them.
    func all(_ key: AnyServiceKey, from level: Int = 0) -> [Node] {
        levels(of: key, from: level).flatMap { owner in
            let stack = stacks.map { $0[owner][key] ?? [] } ?? containers[owner].registry.stack(key)
            return stack.map { node($0, in: owner, askedAt: level) }
        }
    }

    /// The levels at which a resolve call of the container at a level looks for a key, nearest first: without those that a view hides.
    private func levels(of key: AnyServiceKey, from level: Int) -> [Int] {
        containers.indices[level...].filter {
            $0 == level || !UncountedContainer(containers[$0 - 1]).hidesViewed(key)
        }
    }

    /// All nodes of a type, with and without names.
    func nodesOfAnyName(_ key: AnyServiceKey, from level: Int) -> [Node] {
        nodes.filter {
            $0.registration.key.type == key.type
                && levels(of: $0.registration.key, from: level).contains($0.level)
        }.map { node($0.registration, in: $0.level, askedAt: level) }
    }

    /// The first one of all nodes of a key; nil if there is none.
    func newest(_ key: AnyServiceKey, from level: Int = 0) -> Node? {
        for owner in levels(of: key, from: level) {
            let newest = stacks.map { $0[owner][key]?.first } ?? containers[owner].registry.newest(key)
            if let newest { return node(newest, in: owner, askedAt: level) }
        }
        return nil
    }

    /// The node of a registration that is resolved through the container at a level.
    func node(_ registration: AnyServiceRegistration, in level: Int, askedAt asked: Int = 0) -> Node {
        let home = registration.ownership.isRegistration ? level : asked
        return Node(registration: registration, level: level, home: home - 1 == staging ? home - 1 : home)
    }

    /// Whether a newer registration, or one in a child, shadows that of a node.
    func isHidden(_ node: Node) -> Bool { newest(node.registration.key)?.id != node.id }

    /// The resolve call that finds the instance of a node.
    func resolution(of node: Node) -> Resolution {
        Resolution(container: containers[node.home], owner: containers[node.level])
    }

    // MARK: - Edges

    /// The dependencies of a factory; nil if they are not known.
    package func edges(of node: Node) -> [Edge]? {
        let edges = node.registration.requirements?.map { edge($0, from: node.home) }
        guard let source else { return edges }
        let found = sourceEdges(of: node, source)
        return edges == nil && found == nil ? nil : (edges ?? []) + (found ?? [])
    }

    /// The edge of a parameter that a factory looks up in the container at a level.
    func edge(_ parameter: Requirement, from level: Int) -> Edge {
        let (requirement, found) = parameter.lookUp { newest($0, from: level) }
        let targets = requirement.kind == .all ? all(requirement.key, from: level) : [found].compactMap(\.self)
        return Edge(parameter: parameter.identity, requirement: requirement, targets: targets)
    }

    /// Returns some nodes and all nodes behind them, each once and before those behind it.
    ///
    /// - Parameter isFollowed: Whether to follow an edge that leaves a node.
    package func nodes(from start: [Node], _ isFollowed: (Node, Edge) -> Bool = { _, _ in true }) -> [Node] {
        var seen: Set<Node> = []
        var nodes: [Node] = []
        var pending = Array(start.reversed())
        while let node = pending.popLast() {
            guard seen.insert(node).inserted else { continue }
            nodes.append(node)
            for edge in edges(of: node) ?? [] where isFollowed(node, edge) { pending += edge.targets }
        }
        return nodes
    }
}

// MARK: - Dependents

extension Wiring {
    /// Returns the nodes of a snapshot that cannot be resolved without a service, directly or through others: nearest first, one for each
    /// registration.
    ///
    /// - Parameters:
    ///   - lost: The node of the service; nil if it is not registered.
    ///   - identity: The service.
    func dependents(of lost: Node?, _ identity: ServiceIdentity) -> [Node] {
        var found: [Node] = []
        var users: [ObjectIdentifier: [Node]] = [:]
        for node in nodes(from: nodes.filter { !isHidden($0) }) {
            for edge in edges(of: node) ?? [] where edge.requirement.mustBeRegistered && edge.targets.count < 2 {
                if let target = edge.targets.first {
                    users[target.id, default: []].append(node)
                } else if lost == nil, edge.service.key == identity.key {
                    found.append(node)
                }
            }
        }
        if let lost { found = users[lost.id] ?? [] }
        var seen = Set([lost?.id].compactMap(\.self))
        found.removeAll { !seen.insert($0.id).inserted }
        var next = 0
        while next < found.count {
            found += (users[found[next].id] ?? []).filter { seen.insert($0.id).inserted }
            next += 1
        }
        return found
    }
}

// MARK: - Hooks

extension Wiring {
    /// Whether an instance with disposal hooks depends on a service, so that its hooks may use the service. Only the parameters of
    /// initializers count, because it is not known which services a closure resolves. The wiring must be a snapshot.
    package func isNeededByHooks(_ identity: ServiceIdentity) -> Bool {
        guard let node = newest(identity.key) else { return false }
        let owners = nodes.filter { $0.id != node.id && $0.registration.factory?.hasHooks ?? false }
        return nodes(from: owners).contains { $0.id == node.id }
    }
}

extension [Wiring.Node] {
    /// The index of each registration.
    package var positions: [ObjectIdentifier: Int] {
        Dictionary(uniqueKeysWithValues: enumerated().map { ($0.element.id, $0.offset) })
    }
}

extension DependencyContainer {
    /// The container, its parent, and so on, without layers that show nothing.
    fileprivate var chain: [DependencyContainer] {
        sequence(first: self, next: \.parent).filter { $0.role != .layer || $0.registry.isOld }
    }
}

extension AnyServiceKey {
    /// Whether this is the key of a container, through which anything can be resolved at any time.
    var isContainer: Bool { type == ServiceKey<DependencyContainer>().erased.type }
}

extension AnyServiceRegistration {
    /// Whether the registration holds its instance.
    var isInstance: Bool { lifetimeOfService.isEager }

    /// The owner of the instance.
    var ownership: Ownership { lifetimeOfService.ownership }

    /// The parameters of the initializer; nil if they are not known. An instance has none.
    var requirements: [Requirement]? { isInstance ? [] : factory?.requirements }

    /// Whether a service that is created with the instance may resolve services that are not among the requirements.
    package var isOpaque: Bool {
        requirements == nil || key.isContainer || factory.map { $0.isDecorator || $0.hasCompletion } ?? false
    }

    /// Whether a resolve call would find an instance.
    func hasInstance(for resolution: Resolution) -> Bool { factory?.hasInstance(for: resolution) ?? isInstance }
}
