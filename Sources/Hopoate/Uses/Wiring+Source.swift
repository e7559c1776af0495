// The edges of closures, from the needs of their source.

extension Wiring {
    /// The edges of the needs that the source of a registration has besides its parameters; nil if the source is not known.
    func sourceEdges(of node: Node, _ source: SourceWiring) -> [Edge]? {
        guard !node.registration.isInstance, let entry = source.entry(of: node.registration) else { return nil }
        let edges = entry.needs.filter { !$0.isParameter }.compactMap { edge($0, from: node.home) }
        guard node.registration.isDecorator, let inner = inner(of: node) else { return edges }
        return edges + (sourceEdges(of: inner, source) ?? [])
    }

    /// Whether a service that is created with the instance may resolve services without an edge.
    package func isOpaque(_ node: Node) -> Bool {
        guard node.registration.isOpaque, !node.registration.key.isContainer, let source,
            let entry = source.entry(of: node.registration)
        else { return node.registration.isOpaque }
        if entry.isOpen || unknownNeed(of: node) != nil { return true }
        return node.registration.isDecorator && inner(of: node).map(isOpaque) ?? true
    }

    /// The first need of a registration for which the run time finds no type; nil if it finds all types.
    func unknownNeed(of node: Node) -> SourceWiring.Need? {
        source?.entry(of: node.registration)?.needs.first { !$0.isParameter && identity(of: $0) == nil }
    }

    /// The node that a decorator decorates; nil if it is in a parent.
    private func inner(of node: Node) -> Node? {
        let stack = all(node.registration.key, from: node.level).filter { $0.level == node.level }
        let index = stack.firstIndex { $0.id == node.id }
        return index.flatMap { stack.dropFirst($0 + 1).first }
    }

    /// The edge of a need; nil if it needs nothing, or if its type is not found.
    private func edge(_ need: SourceWiring.Need, from home: Int) -> Edge? {
        guard let identity = identity(of: need) else { return nil }
        let isDetached = need.isLater && need.kind != .lazy && need.kind != .provider
        // Detached code may have any container, so it finds the services of all.
        var targets = all(identity.key, from: home)
        if isDetached, targets.isEmpty { targets = all(identity.key) }
        if need.kind == .list {
            if need.hasAnyName { targets = nodesOfAnyName(identity.key, from: home) }
            // Code may resolve an empty list.
            if targets.isEmpty { return nil }
        } else {
            targets = Array(targets.prefix(1))
        }
        let kind: Requirement.Kind =
            switch need.kind {
            case .service: need.isLater ? .later : .required
            case .optional: need.isLater && !targets.isEmpty ? .later : .optional
            case .list: need.isLater ? .later : .all
            case .lazy, .provider: .later
            }
        let requirement = Requirement(identity, kind, keepsInstance: need.kind != .provider)
        return Edge(parameter: identity, requirement: requirement, targets: targets, isDetached: isDetached)
    }

    /// The service that a need asks for; nil if the type is not found.
    private func identity(of need: SourceWiring.Need) -> ServiceIdentity? {
        if let type = need.type.type, need.arguments == nil { return ServiceIdentity(type, named: need.name) }
        let registered = nodes.map(\.registration.identity).filter {
            need.asks(for: $0) && $0.arguments == need.arguments
        }
        // Two private types may have the same text.
        return Set(registered.map(\.key.type)).count == 1 ? registered.first : nil
    }
}

// MARK: - Comparison with a container

extension SourceWiring {
    /// Returns whether the file lists no registration of a container.
    package func isUnrelated(to container: DependencyContainer) -> Bool {
        Wiring(container, readsSource: false).nodes.allSatisfy { entry(of: $0.registration) == nil }
    }

    /// Returns the registrations with closures that the file does not list, though it has their modules.
    package func unlisted(in container: DependencyContainer) -> [AnyServiceRegistration] {
        // Such a call may register any type at any place.
        if hasOpenPlaces { return [] }
        return Wiring(container, readsSource: false).nodes.map(\.registration).filter { registration in
            guard registration.requirements == nil, let place = registration.place else { return false }
            return hasModule(of: place) && entry(of: registration) == nil
        }
    }
}
