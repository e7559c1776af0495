#if Hummingbird
    import Hopoate
    import HopoateServer

    extension SnapshotPage {
        /// The greatest number of services that are drawn. More are listed.
        static var mostVertices: Int { 60 }

        /// The dependency graph: a drawing, or a list if there are too many services.
        var graphSection: String {
            let head = "<section aria-labelledby=\"graph\"><h2 id=\"graph\" tabindex=\"-1\">Dependency graph</h2>"
            let graph = KnownGraph(snapshot)
            let drawn = Set(graph.registrations)
            let others = snapshot.registrations.count { !$0.isHealthCheck && !drawn.contains($0.id) }
            let rest = others == 0 ? "" : " \(others) registrations without a known dependency are in the table only."
            if graph.edges.isEmpty { return head + "<p>No dependency is known.\(rest)</p></section>" }
            let count = graph.vertices.count
            if count > Self.mostVertices {
                return """
                    \(head)<p>\(count) services have known dependencies, too many for a drawing. The limit is \(Self.mostVertices).\
                    \(rest)</p><details><summary>List of dependencies</summary><ul class="columns">\(list(graph))</ul></details></section>
                    """
            }
            return """
                \(head)
                <p>An arrow leads from a service to one that its factory resolves: dashed if it may be missing, dotted if it is resolved \
                later.\(rest)</p>\(longestPath)<p class="legend">\(legend)</p>
                <div class="scroll" role="region" aria-labelledby="graph" tabindex="0">\(drawing(graph))</div></section>
                """
        }

        private var longestPath: String {
            let path = snapshot.longestPath
            if path.isEmpty { return "" }
            return
                "<p>Longest path, \(path.count) services: \(path.map { link(to: $0.id) }.joined(separator: " → ")).</p>"
        }

        private var legend: String {
            let kinds = [
                ("instance", "registered instance"), ("registration", "shared by all"),
                ("container", "one per container"),
                ("graph", "one per outermost call"), ("arguments", "one per arguments"), ("nobody", "not shared"),
            ]
            let used = Set(snapshot.registrations.map(\.sharing))
            return kinds.filter { used.contains($0.0) }.map { "<span class=\"life \($0)\">\($1)</span> " }.joined()
        }

        private func list(_ graph: KnownGraph) -> String {
            var targets: [Int: [String]] = [:]
            for edge in graph.edges { targets[edge.source, default: []].append(text(graph.vertices[edge.target])) }
            return targets.sorted { $0.key < $1.key }.map { source, targets in
                "<li>\(text(graph.vertices[source])) → \(targets.joined(separator: ", "))</li>"
            }.joined()
        }

        private func text(_ vertex: KnownGraph.Vertex) -> String {
            switch vertex {
            case .registration(let id): link(to: id)
            case .missing(let service): "<bdi>\(escaped(service))</bdi> <span class=\"bad\">missing</span>"
            }
        }

        private func drawing(_ graph: KnownGraph) -> String {
            let layout = GraphLayout(
                vertices: graph.vertices.count, edges: graph.edges.map { .init(source: $0.source, target: $0.target) })
            let margin = 12
            let boxWidth = 180
            let half = GraphLayout.vertexHeight / 2
            func x(_ place: Int) -> Int { margin + layout.layer[place] * GraphLayout.layerWidth }
            func y(_ place: Int) -> Int { margin + half + layout.height[place] }
            let width = 2 * margin + (layout.columns - 1) * GraphLayout.layerWidth + boxWidth
            let height = 2 * margin + 2 * half + (layout.height.max() ?? 0)
            var lines = ""
            for (edge, path) in zip(graph.edges, layout.paths) {
                var points = path.map { (x: x($0) + boxWidth / 2, y: y($0)) }
                let isForward = points[0].x < points[points.count - 1].x
                points[0].x += isForward ? boxWidth / 2 : -boxWidth / 2
                points[points.count - 1].x += isForward ? -boxWidth / 2 - 7 : boxWidth / 2 + 7
                var line = "M\(points[0].x) \(points[0].y)"
                for (from, to) in zip(points, points.dropFirst()) {
                    let middle = (from.x + to.x) / 2
                    line += "C\(middle) \(from.y) \(middle) \(to.y) \(to.x) \(to.y)"
                }
                lines += """
                    <path class="edge \(edge.need.filter(\.isLetter))" d="\(line)" marker-end="url(#arrow)" \
                    data-from="\(edge.source)" data-to="\(edge.target)"/>
                    """
            }
            for (index, vertex) in graph.vertices.enumerated() {
                lines += box(vertex, index, x: x(index), y: y(index) - half, width: boxWidth)
            }
            return """
                <svg class="graph" viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)" role="group" \
                aria-label="Dependency graph. The table lists the same dependencies."><defs><marker id="arrow" viewBox="0 0 8 8" refX="1" \
                refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z"/></marker>\
                </defs>\(lines)</svg>
                """
        }

        private func box(_ vertex: KnownGraph.Vertex, _ index: Int, x: Int, y: Int, width: Int) -> String {
            let (name, detail, style, title): (String, String, String, String)
            switch vertex {
            case .registration(let id):
                let registration = snapshot.registrations[id]
                name = names[id]
                detail = registration.lifetime + (registration.exists ? ", exists" : "")
                style = registration.sharing.filter(\.isLetter) + (registration.isShadowed ? " shadowed" : "")
                title = registration.service + (registration.place.map { ", \($0)" } ?? "")
            case .missing(let service):
                (name, detail, style, title) = (withoutQualifiers(service), "missing", "missing", service)
            }
            let box = """
                <g class="vertex \(style)" data-vertex="\(index)"><title>\(escaped(title))</title>\
                <rect x="\(x)" y="\(y)" width="\(width)" height="\(GraphLayout.vertexHeight)" rx="6"/>\
                <svg x="\(x)" y="\(y)" width="\(width - 4)" height="\(GraphLayout.vertexHeight)">\
                <text class="label" x="10" y="17">\(escaped(name, upTo: 22))</text>\
                <text class="detail" x="10" y="32">\(escaped(detail, upTo: 28))</text></svg></g>
                """
            guard case .registration(let id) = vertex else { return box }
            return "<a href=\"#r\(id)\">\(box)</a>"
        }
    }

    /// The part of the dependency graph that is known: registrations with edges, and missing services.
    struct KnownGraph {
        enum Vertex: Hashable {
            case registration(Int)
            case missing(String)
        }

        struct Edge: Hashable {
            let source: Int
            let target: Int
            let need: String
        }

        private(set) var vertices: [Vertex] = []
        private(set) var edges: [Edge] = []

        init(_ snapshot: DependencySnapshot) {
            var indices: [Vertex: Int] = [:]
            var known: Set<Edge> = []
            func index(_ vertex: Vertex) -> Int {
                if indices[vertex] == nil {
                    indices[vertex] = vertices.count
                    vertices.append(vertex)
                }
                return indices[vertex] ?? 0
            }
            for registration in snapshot.registrations {
                for dependency in registration.dependencies ?? [] {
                    var targets = dependency.targets.map(Vertex.registration)
                    if dependency.isMissing { targets.append(.missing(dependency.service)) }
                    // A service that depends on itself has no line in the drawing; validation reports it.
                    for target in targets where target != .registration(registration.id) {
                        let source = index(.registration(registration.id))
                        let edge = Edge(source: source, target: index(target), need: dependency.need)
                        if known.insert(edge).inserted { edges.append(edge) }
                    }
                }
            }
        }

        /// The registrations among the vertices.
        var registrations: [Int] { vertices.compactMap { if case .registration(let id) = $0 { id } else { nil } } }
    }
#endif
