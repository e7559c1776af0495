/// How a service would be had, and in turn what its creator asks for.
///
/// ```swift
/// print(container.explain((any Greeter).self))
/// // 'App.Greeter': singleton, registered at App/Main.swift:12
/// // ├─ 'App.Clock': eager, registered at App/Main.swift:10, exists
/// // └─ 'App.Log': MISSING
/// ```
///
/// - Note: Concurrency. Immutable; what it says was so when it was made.
public struct DependencyTree: Sendable {
    /// What there is to say about a branch.
    public struct Mark: Sendable, Hashable {
        enum Kind { case found, missing, absent, circular, repeated }
        let kind: Kind

        private init(_ kind: Kind) {
            self.kind = kind
        }

        /// It is registered.
        public static let found = Mark(.found)
        /// It is not registered and has to be.
        public static let missing = Mark(.missing)
        /// It is not registered and need not be.
        public static let absent = Mark(.absent)
        /// It is what asks for it, directly or not. The tree ends here.
        public static let circular = Mark(.circular)
        /// It is told above what it depends on.
        public static let repeated = Mark(.repeated)
    }

    let identity: ServiceIdentity

    /// How it is asked for.
    public let need: DependencyNeed
    /// What there is to say about it.
    public let mark: Mark
    /// What would be found; nil where nothing would.
    public let registration: DependencyDescription?
    /// What its creator asks for. Empty where that is not known.
    public let dependencies: [DependencyTree]

    /// The type that is asked for.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public var service: any Any.Type { identity.type }

    /// The name that is asked for; nil for none.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public var name: DependencyName? { identity.name }

    init(missing identity: ServiceIdentity, _ need: DependencyNeed) {
        self.identity = identity
        self.need = need
        mark = need == .required || need == .later ? .missing : .absent
        registration = nil
        dependencies = []
    }

    // `seen` holds what is told above; true where its branch is still open.
    init(
        _ node: ContainerSnapshot.Node, _ need: DependencyNeed, in snapshot: ContainerSnapshot,
        _ seen: inout [ContainerSnapshot.Node.ID: Bool]
    ) {
        identity = node.entry.registration.identity
        self.need = need
        let registration = DependencyDescription(node.entry, in: snapshot)
        self.registration = registration
        let isOpen = seen[node.id]
        let arrows = snapshot.arrows(of: node) ?? []
        guard isOpen == nil else {
            // What is asked for only later closes no circle; and what depends on nothing has nothing to repeat.
            mark = isOpen == true && need != .later ? .circular : arrows.isEmpty ? .found : .repeated
            dependencies = []
            return
        }
        mark = .found
        seen[node.id] = true
        var dependencies: [DependencyTree] = []
        for arrow in arrows {
            let need = DependencyNeed(arrow.requirement.kind)
            if arrow.targets.isEmpty { dependencies.append(DependencyTree(missing: arrow.requirement.identity, need)) }
            for target in arrow.targets { dependencies.append(DependencyTree(target, need, in: snapshot, &seen)) }
        }
        self.dependencies = dependencies
        seen[node.id] = false
    }
}

extension DependencyTree: CustomStringConvertible {
    /// The tree, a line for each branch.
    ///
    /// - Complexity: Linear in its length.
    /// - Note: Concurrency. From any thread.
    public var description: String { lines.joined(separator: "\n") }

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
