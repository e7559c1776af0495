public import Hopoate

/// The dependency graph of a container and its parents, for drawing.
///
/// ```swift
/// print(container.graph().dot)  // | dot -Tsvg > dependencies.svg
/// ```
///
/// - Note: Concurrency. Immutable. It shows the container at the time when it was made.
public struct DependencyGraph: Sendable {
    /// A registration, or a dependency that is not registered.
    public struct Node: Sendable {
        let identity: ServiceIdentity
        /// The registration; nil if there is none.
        public let registration: DependencyDescription?
        /// Whether a validation has found a mistake of the registration.
        public internal(set) var isFaulty = false

        /// The type of the service.
        public var service: any Any.Type { identity.type }
    }

    /// A dependency: the factory of one node resolves another node.
    public struct Edge: Sendable, Hashable {
        /// The node that depends on the other: an index into ``DependencyGraph/nodes``.
        public let source: Int
        /// The node that is resolved: an index into ``DependencyGraph/nodes``.
        public let target: Int
        /// How the factory uses the dependency.
        public let need: DependencyNeed
    }

    /// Registrations by level, then by type and name, then newest first; after them, missing dependencies.
    public let nodes: [Node]
    /// The dependencies, each once.
    public let edges: [Edge]

    init(_ wiring: Wiring, _ findings: [DependencyValidationError.Finding]) {
        let registered = wiring.nodesByName
        let indices = registered.positions
        let faulty = Set(findings.map { [$0.chain[0], $0.place] })
        var nodes = registered.map { node in
            let identity = node.registration.identity
            return Node(
                identity: identity, registration: DependencyDescription(node, in: wiring),
                isFaulty: !faulty.isEmpty && faulty.contains([identity.description, node.registration.place]))
        }
        var missing: [ServiceIdentity: Int] = [:]
        var edges: [Edge] = []
        var known: Set<Edge> = []
        for node in wiring.nodes(from: registered) {
            guard let source = indices[node.id] else { continue }
            for dependency in wiring.edges(of: node) ?? [] {
                var targets = dependency.targets.compactMap { indices[$0.id] }
                if dependency.isMissing {
                    let target = missing[dependency.missing] ?? nodes.count
                    if target == nodes.count { nodes.append(Node(identity: dependency.missing, registration: nil)) }
                    missing[dependency.missing] = target
                    targets = [target]
                }
                for target in targets {
                    let edge = Edge(source: source, target: target, need: dependency.need)
                    if known.insert(edge).inserted { edges.append(edge) }
                }
            }
        }
        self.nodes = nodes
        self.edges = edges.sorted { ($0.source, $0.target) < ($1.source, $1.target) }
    }
}

// MARK: - Output formats

extension DependencyGraph {
    /// The graph in the DOT language of Graphviz.
    ///
    /// Each node shows its type and its lifetime. The type has no module name, unless two types would look the same. The tooltip
    /// shows the type in full and the place of the registration. Shape and colour tell who shares an instance or, if the factory
    /// takes arguments, an instance per value:
    ///
    /// - all callers: a box if it was registered as an instance, a rounded box if a factory creates it;
    /// - one container: a tab;
    /// - one outermost resolve call: a component;
    /// - equal arguments (`.keyed`): a folder;
    /// - nobody: a dashed box.
    ///
    /// A missing service and one with a finding are red, a shadowed registration grey. An optional dependency has a dashed edge, a lazy one a dotted
    /// edge.
    ///
    /// - Complexity: O(n) in its length.
    public var dot: String {
        var lines = [
            "digraph dependencies {", "    rankdir=LR;",
            "    node [shape=box, style=filled, fontname=Helvetica, color=\"#747d87\", fontcolor=\"#1f2933\"];",
            "    edge [fontname=Helvetica, fontsize=11, color=\"#747d87\", fontcolor=\"#747d87\"];",
        ]
        for ((index, node), name) in zip(nodes.enumerated(), shortNames) {
            let label = [name, node.lifetime].map(escapedForDot).joined(separator: "\\n")
            let tooltip = escapedForDot(node.registration?.description ?? "'\(node.identity)': missing")
            let attributes = ["label=\"\(label)\"", "tooltip=\"\(tooltip)\""] + node.look.attributes
            lines.append("    n\(index) [\(attributes.joined(separator: ", "))];")
        }
        for edge in edges {
            let attributes = edge.dotAttributes.map { " [\($0)]" } ?? ""
            lines.append("    n\(edge.source) -> n\(edge.target)\(attributes);")
        }
        return (lines + ["}", ""]).joined(separator: "\n")
    }

    /// The labels of the nodes: without module names, or in full if two nodes would have the same label.
    private var shortNames: [String] {
        var meanings: [String: Set<String>] = [:]
        for node in nodes { meanings[node.identity.shortDescription, default: []].insert(node.identity.description) }
        return nodes.map { node in
            let short = node.identity.shortDescription
            return meanings[short]?.count == 1 ? short : node.identity.description
        }
    }

    /// The graph in the language of Mermaid, which many Markdown viewers draw.
    ///
    /// Nodes of missing services and of findings have the Mermaid style class `missing`, those of shadowed registrations `hidden`. The
    /// returned text defines both styles: red and grey. Optional and lazy dependencies have dotted edges.
    ///
    /// - Complexity: O(n) in its length.
    public var mermaid: String {
        var lines = ["flowchart LR"]
        for (index, node) in nodes.enumerated() {
            let style =
                node.registration == nil || node.isFaulty
                ? ":::missing" : node.registration?.isHidden == true ? ":::hidden" : ""
            lines.append("    n\(index)[\"\(node.label.map(escapedForMermaid).joined(separator: "<br/>"))\"]\(style)")
        }
        for edge in edges { lines.append("    n\(edge.source) \(edge.mermaidArrow) n\(edge.target)") }
        lines.append("    classDef missing stroke:#c00,color:#c00")
        lines.append("    classDef hidden stroke:#999,color:#999")
        return (lines + [""]).joined(separator: "\n")
    }
}

extension DependencyGraph {
    /// The appearance of a node. The class is for style sheets.
    struct Look {
        let name: String
        var shape = "box"
        let fill: String
        var others: [String] = []

        /// Returns the look of a node. It depends on the kind of sharing of its service.
        static func of(sharedBy sharing: String) -> Look {
            switch sharing {
            case "registration": Look(name: sharing, fill: "#c9e9dc", others: ["style=\"filled,rounded\""])
            case "container": Look(name: sharing, shape: "tab", fill: "#fbe0bd")
            case "graph": Look(name: "request", shape: "component", fill: "#e9d8f0")
            case "arguments": Look(name: sharing, shape: "folder", fill: "#f7efb2")
            case "nobody": Look(name: sharing, fill: "#ececec", others: ["style=\"filled,dashed\""])
            default: Look(name: sharing, fill: "#d3e5f5")
            }
        }

        var attributes: [String] { ["class=\(name)", "shape=\(shape)", "fillcolor=\"\(fill)\""] + others }
    }
}

extension DependencyGraph.Node {
    fileprivate var label: [String] { [identity.description, lifetime, registration?.place].compactMap(\.self) }

    fileprivate var lifetime: String { registration?.lifetime.description ?? "missing" }

    fileprivate var look: DependencyGraph.Look {
        guard let registration else {
            return DependencyGraph.Look(
                name: "missing", shape: "octagon", fill: "#fde0dd", others: ["color=red", "fontcolor=red"])
        }
        if isFaulty {
            return DependencyGraph.Look(name: "faulty", fill: "#fde0dd", others: ["color=red", "fontcolor=red"])
        }
        if registration.isHidden {
            return DependencyGraph.Look(name: "hidden", fill: "#f7f7f7", others: ["color=grey", "fontcolor=grey"])
        }
        return .of(sharedBy: registration.lifetime.sharingName)
    }
}

extension ServiceIdentity {
    /// The description without modules and enclosing types.
    fileprivate var shortDescription: String {
        serviceLabel(shortType, arguments.map(withoutQualifiers), named: name?.text)
    }
}

extension DependencyGraph.Edge {
    fileprivate var dotAttributes: String? {
        switch need {
        case .required: nil
        case .optional: "style=dashed, label=optional"
        case .later: "style=dotted, label=later"
        default: "label=\(need)"
        }
    }

    fileprivate var mermaidArrow: String {
        switch need {
        case .required: "-->"
        case .optional, .later: "-. \(need) .->"
        default: "-->|\(need)|"
        }
    }
}

/// Escapes a text for quotation marks in DOT.
private func escapedForDot(_ text: String) -> String {
    text.reduce(into: "") { escaped, character in
        switch character {
        case "\"", "\\": escaped += "\\\(character)"
        case _ where character.isNewline: escaped += "\\n"
        default: escaped.append(character)
        }
    }
}

/// Escapes a text for quotation marks in Mermaid, which knows no escapes but entities that begin with a number sign.
private func escapedForMermaid(_ text: String) -> String {
    text.reduce(into: "") { escaped, character in
        switch character {
        case "\"": escaped += "#quot;"
        case "#": escaped += "#35;"
        case "&": escaped += "#amp;"
        case "<": escaped += "#lt;"
        case ">": escaped += "#gt;"
        case "`", "\\": escaped += "#\(character.asciiValue ?? 0);"
        case _ where character.isNewline: escaped += " "
        default: escaped.append(character)
        }
    }
}
