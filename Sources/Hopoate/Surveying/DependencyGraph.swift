/// What is registered, and what depends on what, to be drawn.
///
/// ```swift
/// print(container.graph().dot)  // | dot -Tsvg > dependencies.svg
/// ```
///
/// - Note: Concurrency. Immutable; what it says was so when it was made.
public struct DependencyGraph: Sendable {
    /// A registration, or something that is asked for and not registered.
    public struct Node: Sendable {
        let subject: Subject
        /// The registration; nil where there is none.
        public let registration: DependencyDescription?

        /// The type.
        ///
        /// - Complexity: Constant.
        /// - Note: Concurrency. From any thread.
        public var service: any Any.Type { subject.type }
    }

    /// Says that the creator of one node asks for another one.
    public struct Edge: Sendable, Hashable {
        /// Who asks: an index into ``DependencyGraph/nodes``.
        public let source: Int
        /// What it gets: an index into ``DependencyGraph/nodes``.
        public let target: Int
        /// How it asks.
        public let need: DependencyNeed
    }

    /// What there is: registrations in the order of ``DependencyContainer/registrations``, then what is missing.
    public let nodes: [Node]
    /// Who asks for what, each once.
    public let edges: [Edge]

    init(_ survey: Survey) {
        var nodes = survey.entries.map {
            Node(subject: $0.registration.subject, registration: DependencyDescription($0, in: survey))
        }
        var indices: [ObjectIdentifier: Int] = [:]
        for (index, entry) in survey.entries.enumerated() { indices[ObjectIdentifier(entry.registration)] = index }
        var missing: [Survey.Key: Int] = [:]
        var edges: [Edge] = []
        var known: Set<Edge> = []
        var seen: Set<Survey.Node.ID> = []
        var pending = survey.entries.reversed().map { survey.node($0, askedAt: 0) }
        while let node = pending.popLast() {
            guard seen.insert(node.id).inserted,
                let source = indices[ObjectIdentifier(node.entry.registration)],
                let arrows = survey.arrows(of: node)
            else { continue }
            for arrow in arrows {
                var targets = arrow.targets.compactMap { indices[ObjectIdentifier($0.entry.registration)] }
                if arrow.isMissing {
                    let key = Survey.Key(arrow.requirement)
                    if missing[key] == nil { nodes.append(Node(subject: arrow.requirement.subject, registration: nil)) }
                    targets = [missing[key] ?? nodes.count - 1]
                    missing[key] = targets[0]
                }
                for target in targets {
                    let edge = Edge(source: source, target: target, need: DependencyNeed(arrow.requirement.kind))
                    if known.insert(edge).inserted { edges.append(edge) }
                }
                pending += arrow.targets
            }
        }
        self.nodes = nodes
        self.edges = edges.sorted { ($0.source, $0.target) < ($1.source, $1.target) }
    }
}

// MARK: - Texts

extension DependencyGraph {
    /// The graph for Graphviz.
    ///
    /// What is missing is red, what is hidden is grey; what may be missing is asked for with a dashed arrow, what is asked for
    /// later with a dotted one.
    ///
    /// - Complexity: Linear in its length.
    /// - Note: Concurrency. From any thread.
    public var dot: String {
        var lines = ["digraph dependencies {", "    rankdir=LR;", "    node [shape=box];"]
        for (index, node) in nodes.enumerated() {
            var attributes = ["label=\"\(node.label.map(escapedForDot).joined(separator: "\\n"))\""]
            if node.registration == nil { attributes += ["color=red", "fontcolor=red"] }
            if node.registration?.isHidden == true { attributes += ["color=grey", "fontcolor=grey"] }
            lines.append("    n\(index) [\(attributes.joined(separator: ", "))];")
        }
        for edge in edges {
            let attributes = edge.dotAttributes.map { " [\($0)]" } ?? ""
            lines.append("    n\(edge.source) -> n\(edge.target)\(attributes);")
        }
        return (lines + ["}", ""]).joined(separator: "\n")
    }

    /// The graph for Mermaid, which many viewers of Markdown draw.
    ///
    /// What is missing and what is hidden have classes of those names; what may be missing, and what is asked for later, have
    /// a dotted arrow.
    ///
    /// - Complexity: Linear in its length.
    /// - Note: Concurrency. From any thread.
    public var mermaid: String {
        var lines = ["flowchart LR"]
        for (index, node) in nodes.enumerated() {
            let style = node.registration == nil ? ":::missing" : node.registration?.isHidden == true ? ":::hidden" : ""
            lines.append("    n\(index)[\"\(node.label.map(escapedForMermaid).joined(separator: "<br/>"))\"]\(style)")
        }
        for edge in edges { lines.append("    n\(edge.source) \(edge.mermaidArrow) n\(edge.target)") }
        lines.append("    classDef missing stroke:#c00,color:#c00")
        lines.append("    classDef hidden stroke:#999,color:#999")
        return (lines + [""]).joined(separator: "\n")
    }
}

extension DependencyGraph.Node {
    fileprivate var label: [String] {
        [subject.description, registration?.lifetime.description ?? "missing", registration?.place].compactMap(\.self)
    }
}

extension DependencyGraph.Edge {
    fileprivate var dotAttributes: String? {
        switch need.kind {
        case .required: nil
        case .optional: "style=dashed, label=optional"
        case .later: "style=dotted, label=later"
        case .all: "label=all"
        }
    }

    fileprivate var mermaidArrow: String {
        switch need.kind {
        case .required: "-->"
        case .optional: "-. optional .->"
        case .later: "-. later .->"
        case .all: "-->|all|"
        }
    }
}

/// A text inside quotation marks.
private func escapedForDot(_ text: String) -> String {
    text.reduce(into: "") { escaped, character in
        switch character {
        case "\"", "\\": escaped += "\\\(character)"
        case _ where character.isNewline: escaped += "\\n"
        default: escaped.append(character)
        }
    }
}

/// A text inside quotation marks, in which there are no escapes but entities that begin with a number sign.
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
