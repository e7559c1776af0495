/// A service with the dependencies of its factory, as a tree.
///
/// ```swift
/// print(container.explain((any Greeter).self))
/// // 'any App.Greeter': singleton, registered at App/Main.swift:12
/// // ├─ 'App.Clock': eager, registered at App/Main.swift:10, exists
/// // └─ 'any App.Log': MISSING
/// // Needed by:
/// // 'App.Shop': singleton, registered at App/Main.swift:14
/// ```
///
/// - Note: Concurrency. Immutable. It shows the container at the time when it was made.
public struct DependencyTree: Sendable {
    /// The state of a node of the tree.
    public struct Mark: Sendable, Hashable {
        enum Kind { case found, missing, absent, circular, repeated }
        let kind: Kind

        private init(_ kind: Kind) {
            self.kind = kind
        }

        /// The service is registered.
        public static let found = Mark(.found)
        /// The service is not registered and has to be.
        public static let missing = Mark(.missing)
        /// The service is not registered and need not be.
        public static let absent = Mark(.absent)
        /// The service depends on itself, directly or through others. The tree ends here.
        public static let circular = Mark(.circular)
        /// The dependencies of the service are shown further up.
        public static let repeated = Mark(.repeated)
    }

    let identity: ServiceIdentity

    /// How the factory uses the dependency.
    public let need: DependencyNeed
    /// The state of this node.
    public let mark: Mark
    /// The registration that a resolve call would find; nil if there is none.
    public let registration: DependencyDescription?
    /// The dependencies of the factory. Empty if they are not known.
    public let dependencies: [DependencyTree]

    /// The registrations that cannot be resolved without the service, directly or through others: nearest first. Empty for the
    /// dependencies in the tree.
    public internal(set) var dependents: [DependencyDescription] = []

    /// The type of the service.
    public var service: any Any.Type { identity.type }

    /// The name of the service; nil for a service without a name.
    public var name: DependencyName? { identity.name }

    init(missing identity: ServiceIdentity, _ need: DependencyNeed) {
        self.identity = identity
        self.need = need
        mark = need == .optional ? .absent : .missing
        registration = nil
        dependencies = []
    }

    // `seen` holds the nodes that are in the tree already. The value is true while the branch of the node is still being built.
    init(
        _ node: Wiring.Node, _ need: DependencyNeed, in wiring: Wiring, _ seen: inout [Wiring.Node: Bool]
    ) {
        identity = node.registration.identity
        self.need = need
        registration = DependencyDescription(node, in: wiring)
        let isOpen = seen[node]
        let edges = wiring.edges(of: node) ?? []
        guard isOpen == nil else {
            // A lazy dependency closes no cycle. A node without dependencies has nothing to repeat.
            mark = isOpen == true && need != .later ? .circular : edges.isEmpty ? .found : .repeated
            dependencies = []
            return
        }
        mark = .found
        seen[node] = true
        var dependencies: [DependencyTree] = []
        for edge in edges {
            if edge.targets.isEmpty { dependencies.append(DependencyTree(missing: edge.missing, edge.need)) }
            for target in edge.targets { dependencies.append(DependencyTree(target, edge.need, in: wiring, &seen)) }
        }
        self.dependencies = dependencies
        seen[node] = false
    }
}

extension DependencyTree: CustomStringConvertible {
    /// The tree, one line per node, and then one line per dependent.
    ///
    /// - Complexity: O(n) in its length.
    public var description: String {
        let users = dependents.isEmpty ? [] : ["Needed by:"] + dependents.map(\.description)
        return (lines + users).joined(separator: "\n")
    }

    private var lines: [String] {
        var lines = [line]
        for (index, dependency) in dependencies.enumerated() {
            let isLast = index == dependencies.count - 1
            for (number, text) in dependency.lines.enumerated() {
                lines.append((number == 0 ? (isLast ? "└─ " : "├─ ") : isLast ? "   " : "│  ") + text)
            }
        }
        return lines
    }

    private var line: String {
        var parts = registration.map { [$0.details] } ?? []
        switch mark.kind {
        case .found: if registration?.dependencies == nil { parts.append("made by a closure") }
        case .missing: parts.append("MISSING")
        case .absent: parts.append("not registered")
        case .circular: parts.append("CIRCULAR")
        case .repeated: parts.append("see above")
        }
        if need != .required { parts.append(need.description) }
        return "'\(identity)': \(parts.joined(separator: ", "))"
    }
}
