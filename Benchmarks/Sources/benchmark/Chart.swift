/// The figures that matter most as a bar chart: one SVG image without a background, in colours that can be read on
/// white and on black.
struct Chart {
    private struct Bar {
        let threads: Int
        let nanoseconds: Double
    }

    private struct Entry {
        let title: String
        let bars: [Bar]
    }

    private let entries: [Entry]

    init(_ report: Report) {
        let operations: [(String, [Operation])] = [
            ("floor: a closure returns it", [.floor]),
            ("withService(T.self) { }", [.withService]),
            ("resolve(T.self)", [.resolve]),
            ("shared.resolve(T.self)", [.sharedResolve]),
            ("dictionary under a lock", [.dictionary]),
            ("list searched by name", [.list, .lockedList]),
        ]
        entries = operations.compactMap { title, operations in
            let bars = [1, 2].compactMap { threads in
                operations.lazy.compactMap { report.nanoseconds($0, threads: threads) }.first
                    .map { Bar(threads: threads, nanoseconds: $0) }
            }
            return bars.isEmpty ? nil : Entry(title: title, bars: bars)
        }
    }

    // MARK: Measures, in pixels

    private static let width = 760.0
    /// Where the bars begin.
    private static let left = 210.0
    private static let right = 56.0
    private static let top = 58.0
    private static let barHeight = 13.0
    private static let barGap = 2.0
    private static let entryGap = 12.0
    private static let bottom = 58.0

    /// Grey enough for both backgrounds.
    private static let ink = "#747d87"
    private static let colours = [1: "#3f8fd9", 2: "#d9822b"]

    private static let style =
        "text{font:13px system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;fill:\(ink)}"
        + ".small{font-size:11px}.title{font-size:15px;font-weight:600}.grid{stroke:\(ink);stroke-opacity:.3}"

    private static func height(_ entry: Entry) -> Double {
        Double(entry.bars.count) * (barHeight + barGap) + entryGap
    }

    // MARK: The axis, logarithmic: what is compared lies a hundredfold apart

    private var decades: ClosedRange<Int> {
        var last = 1
        var power = 10.0
        let greatest = entries.flatMap(\.bars).map(\.nanoseconds).max() ?? 1
        while power < greatest {
            power *= 10
            last += 1
        }
        return 0...last
    }

    private func x(_ nanoseconds: Double) -> Double {
        let decades = Double(decades.upperBound)
        return Self.left + max(0, nanoseconds.decimalLogarithm) / decades * (Self.width - Self.left - Self.right)
    }

    // MARK: Drawing

    /// The image.
    var svg: String {
        let end = Self.top + entries.map(Self.height).reduce(0, +)
        let height = end + Self.bottom
        var lines = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(Self.width.fixed(0))\" height=\"\(height.fixed(0))\" "
                + "viewBox=\"0 0 \(Self.width.fixed(0)) \(height.fixed(0))\" role=\"img\" aria-labelledby=\"title\">",
            "<style>\(Self.style)</style>",
            "<title id=\"title\">Nanoseconds to get a service</title>",
            Self.text("Getting a service, 100 others registered", x: 16, y: 24, kind: "title"),
        ]
        lines += legend + axis(to: end)
        var y = Self.top
        for entry in entries {
            lines += draw(entry, y: y)
            y += Self.height(entry)
        }
        lines.append(
            Self.text(
                "nanoseconds for one operation on each thread (logarithmic)", x: Self.width - Self.right, y: end + 30,
                kind: "small", anchor: "end"))
        lines.append(Self.text(System.description, x: 16, y: end + 48, kind: "small"))
        return (lines + ["</svg>", ""]).joined(separator: "\n")
    }

    private var legend: [String] {
        let threads = Set(entries.flatMap(\.bars).map(\.threads)).sorted()
        return threads.enumerated().flatMap { index, threads in
            let x = Self.left + Double(index) * 110
            return [
                Self.rectangle(x: x, y: 36, width: 11, height: 11, Self.colours[threads] ?? Self.ink),
                Self.text(threads == 1 ? "1 thread" : "\(threads) threads at once", x: x + 17, y: 46, kind: "small"),
            ]
        }
    }

    private func axis(to end: Double) -> [String] {
        decades.flatMap { decade in
            let value = (0..<decade).reduce(1.0) { value, _ in value * 10 }
            let x = x(value).fixed(1)
            return [
                "<line class=\"grid\" x1=\"\(x)\" y1=\"\(Self.top - 4)\" x2=\"\(x)\" y2=\"\(end.fixed(1))\"/>",
                Self.text(value.fixed(0), x: self.x(value), y: end + 14, kind: "small", anchor: "middle"),
            ]
        }
    }

    private func draw(_ entry: Entry, y: Double) -> [String] {
        let height = Self.height(entry) - Self.entryGap
        var lines = [Self.text(entry.title, x: Self.left - 10, y: y + height / 2 + 4, anchor: "end")]
        for (index, bar) in entry.bars.enumerated() {
            let top = y + Double(index) * (Self.barHeight + Self.barGap)
            let end = x(bar.nanoseconds)
            lines.append(
                Self.rectangle(
                    x: Self.left, y: top, width: end - Self.left, height: Self.barHeight,
                    Self.colours[bar.threads] ?? Self.ink))
            lines.append(Self.text(bar.nanoseconds.short, x: end + 5, y: top + Self.barHeight - 2.5, kind: "small"))
        }
        return lines
    }

    private static func rectangle(x: Double, y: Double, width: Double, height: Double, _ colour: String) -> String {
        "<rect x=\"\(x.fixed(1))\" y=\"\(y.fixed(1))\" width=\"\(width.fixed(1))\" height=\"\(height.fixed(1))\" "
            + "rx=\"1.5\" fill=\"\(colour)\"/>"
    }

    private static func text(
        _ text: String, x: Double, y: Double, kind: String? = nil, anchor: String = "start"
    ) -> String {
        let kind = kind.map { " class=\"\($0)\"" } ?? ""
        return "<text x=\"\(x.fixed(1))\" y=\"\(y.fixed(1))\"\(kind) text-anchor=\"\(anchor)\">\(text)</text>"
    }
}
