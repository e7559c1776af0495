#if Hummingbird
    /// A layered drawing of a directed graph, from left to right.
    ///
    /// 1. Edges that close a cycle are turned round for the layout.
    /// 2. A vertex is one layer to the right of the rightmost vertex with an edge to it. One without such edges is next to its targets.
    /// 3. An edge over several layers gets a bend in each layer between, so that it leads between the vertices and not over them.
    /// 4. Sweeps over the layers order each by the mean position of its neighbours, which removes most crossings.
    /// 5. Sweeps move the vertices of a layer towards the mean height of their neighbours, without changing their order.
    struct GraphLayout {
        struct Edge {
            let source: Int
            let target: Int
        }

        static let layerWidth = 240
        static let vertexHeight = 40
        private static let vertexGap = 16
        private static let bendHeight = 2

        /// The layer of each vertex and bend, and the height of its centre. The vertices come first.
        private(set) var layer: [Int]
        private(set) var height: [Int]
        /// The places that each edge leads through, from its source to its target.
        private(set) var paths: [[Int]] = []
        private let vertices: Int
        private var layers: [[Int]] = []
        private var left: [[Int]]
        private var right: [[Int]]

        init(vertices: Int, edges: [Edge]) {
            self.vertices = vertices
            let (turned, order) = Self.turned(vertices, edges)
            layer = Array(repeating: 0, count: vertices)
            var outgoing = Array(repeating: [Int](), count: vertices)
            for edge in turned { outgoing[edge.source].append(edge.target) }
            for vertex in order {
                for target in outgoing[vertex] { layer[target] = max(layer[target], layer[vertex] + 1) }
            }
            // A vertex without an edge to it moves next to the leftmost one that it leads to.
            let targets = Set(turned.map(\.target))
            for vertex in 0..<vertices where !targets.contains(vertex) {
                var nearest = vertices
                for target in outgoing[vertex] { nearest = min(nearest, layer[target]) }
                if nearest < vertices { layer[vertex] = nearest - 1 }
            }
            left = Array(repeating: [], count: vertices)
            right = left
            height = []
            for (edge, original) in zip(turned, edges) {
                var path = [edge.source]
                for column in (layer[edge.source] + 1)..<max(layer[edge.target], layer[edge.source] + 1) {
                    layer.append(column)
                    left.append([])
                    right.append([])
                    path.append(layer.count - 1)
                }
                path.append(edge.target)
                for (from, to) in zip(path, path.dropFirst()) {
                    right[from].append(to)
                    left[to].append(from)
                }
                paths.append(edge.source == original.source ? path : path.reversed())
            }
            layers = Array(repeating: [], count: (layer.max() ?? 0) + 1)
            for (place, column) in layer.enumerated() { layers[column].append(place) }
            height = Array(repeating: 0, count: layer.count)
            self.order(sweeps: 12)
            self.place(sweeps: 16)
        }

        /// The number of layers.
        var columns: Int { layers.count }

        /// Returns the edges, without cycles, and the vertices so that each edge leads from an earlier to a later one.
        private static func turned(_ vertices: Int, _ edges: [Edge]) -> (edges: [Edge], order: [Int]) {
            var outgoing = Array(repeating: [Int](), count: vertices)
            for (index, edge) in edges.enumerated() { outgoing[edge.source].append(index) }
            var isTurned = Array(repeating: false, count: edges.count)
            // 0: not visited, 1: on the path, 2: done.
            var state = Array(repeating: 0, count: vertices)
            var finished: [Int] = []
            for start in 0..<vertices where state[start] == 0 {
                var path = [(vertex: start, next: 0)]
                state[start] = 1
                while let (vertex, next) = path.last {
                    guard next < outgoing[vertex].count else {
                        state[vertex] = 2
                        finished.append(vertex)
                        path.removeLast()
                        continue
                    }
                    path[path.count - 1].next += 1
                    let edge = outgoing[vertex][next]
                    let target = edges[edge].target
                    if state[target] == 1 { isTurned[edge] = true }
                    if state[target] == 0 {
                        state[target] = 1
                        path.append((target, 0))
                    }
                }
            }
            let turned = zip(edges, isTurned).map { $1 ? Edge(source: $0.target, target: $0.source) : $0 }
            return (turned, finished.reversed())
        }

        private mutating func order(sweeps: Int) {
            var rank = Array(repeating: 0, count: layer.count)
            func number(_ column: [Int]) { for (index, place) in column.enumerated() { rank[place] = index * 1_000 } }
            layers.forEach(number)
            for sweep in 0..<sweeps {
                let isForward = sweep % 2 == 0
                for column in isForward ? Array(layers.indices) : layers.indices.reversed() {
                    let neighbours = isForward ? left : right
                    let keys = layers[column].map { place in
                        let around = neighbours[place]
                        return around.isEmpty ? rank[place] : around.reduce(0) { $0 + rank[$1] } / around.count
                    }
                    layers[column] = zip(keys, layers[column]).enumerated().sorted {
                        ($0.element.0, $0.offset) < ($1.element.0, $1.offset)
                    }.map(\.element.1)
                    number(layers[column])
                }
            }
        }

        private func size(_ place: Int) -> Int { place < vertices ? Self.vertexHeight : Self.bendHeight }

        private mutating func place(sweeps: Int) {
            for column in layers {
                var next = 0
                for place in column {
                    height[place] = next + size(place) / 2
                    next += size(place) + Self.vertexGap
                }
            }
            for sweep in 0..<sweeps {
                for column in sweep % 2 == 0 ? layers : layers.reversed() { relax(column) }
            }
            let top = layers.joined().map { height[$0] - size($0) / 2 }.min() ?? 0
            for place in height.indices { height[place] -= top }
        }

        /// Moves the places of a layer towards their neighbours: once with all gaps kept downwards, once upwards, and takes the mean.
        private mutating func relax(_ column: [Int]) {
            let wanted = column.map { place in
                let around = left[place] + right[place]
                return around.isEmpty ? height[place] : around.reduce(0) { $0 + height[$1] } / around.count
            }
            var down = wanted
            var up = wanted
            for index in column.indices.dropFirst() {
                down[index] = max(down[index], down[index - 1] + gap(column[index - 1], column[index]))
            }
            for index in column.indices.dropLast().reversed() {
                up[index] = min(up[index], up[index + 1] - gap(column[index], column[index + 1]))
            }
            for (index, place) in column.enumerated() { height[place] = (down[index] + up[index]) / 2 }
        }

        private func gap(_ upper: Int, _ lower: Int) -> Int { (size(upper) + size(lower)) / 2 + Self.vertexGap }
    }
#endif
