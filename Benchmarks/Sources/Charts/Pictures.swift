// What is drawn of a run. To add a picture: a function here, and its name in `all`.

extension Measurements {
    /// The pictures by the names of their files. What was not measured is not drawn.
    public var pictures: [(file: String, svg: String)] {
        [("chart.svg", bars), ("threads.svg", threadsChart), ("keys.svg", keysChart)]
            .compactMap { file, svg in svg.map { (file, $0) } }
    }

    /// The ways to ask, held against the least that can be and against what people write instead.
    private var bars: String? {
        let operations = [
            ("floor: a closure returns it", ["floor"]),
            ("withService(T.self) { }", ["withService"]),
            ("resolve(T.self)", ["resolve"]),
            ("shared.resolve(T.self)", ["shared.resolve"]),
            ("dictionary under a lock", ["dictionary"]),
            ("list searched by name", ["list", "lockedList"]),
        ]
        let groups = operations.compactMap { title, names -> BarChart.Group? in
            let bars = [1, 2].compactMap { threads in
                names.lazy.compactMap { nanoseconds($0, threads: threads) }.first
                    .map { BarChart.Bar(threads: threads, nanoseconds: $0) }
            }
            return bars.isEmpty ? nil : BarChart.Group(title: title, bars: bars)
        }
        guard groups.count > 1 else { return nil }
        return BarChart(title: "Getting a service, 100 others registered", caption: caption, groups: groups).svg
    }

    /// What all threads get done together. A line needs two points.
    private var threadsChart: String? {
        let lines = [
            ("withService", "withService"), ("resolve", "resolve"), ("dictionary, lock", "dictionary"),
        ].compactMap { title, operation in
            line(title, threads(operation)) { threads in
                // A thousand nanoseconds are a microsecond, in which so many are a million a second.
                nanoseconds(operation, threads: threads).map { Double(threads) * 1000 / $0 }
            }
        }
        guard !lines.isEmpty else { return nil }
        return LineChart(
            title: "Threads that ask for the same service", caption: caption, across: "threads at once (logarithmic)",
            up: "million operations a second, all together", base: 2, lines: lines
        ).svg
    }

    /// What one operation takes among more and more others.
    private var keysChart: String? {
        let sizes = [10, 100, 1000, 10_000, 100_000]
        let lines = [
            ("resolve, one type", "resolve"), ("resolve, each in turn", "rotate"),
            ("dictionary, one type", "dictionary"),
        ].compactMap { title, operation in line(title, sizes) { nanoseconds("\(operation).\($0)") } }
        guard !lines.isEmpty else { return nil }
        return LineChart(
            title: "Resolving among many types", caption: caption, across: "types in the container (logarithmic)",
            up: "nanoseconds for one operation (logarithmic)", base: 10, isSteep: true, lines: lines
        ).svg
    }

    private func line(_ title: String, _ numbers: [Int], _ value: (Int) -> Double?) -> LineChart.Line? {
        let points = numbers.compactMap { number in value(number).map { (x: Double(number), y: $0) } }
        return points.count > 1 ? LineChart.Line(title: title, points: points) : nil
    }
}
