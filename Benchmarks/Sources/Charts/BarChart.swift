/// Bars of nanoseconds, a group for each operation with a bar for each number of threads, on a logarithmic axis: what is
/// compared lies a hundredfold apart.
struct BarChart {
    struct Bar {
        let threads: Int
        let nanoseconds: Double
    }

    struct Group {
        let title: String
        let bars: [Bar]
    }

    let title: String
    let caption: String
    let groups: [Group]

    private static let width = 760.0
    /// Where the bars begin.
    private static let left = 210.0
    private static let right = 56.0
    private static let top = 58.0
    private static let barHeight = 13.0
    private static let barGap = 2.0
    private static let groupGap = 12.0
    private static let bottom = 58.0

    private static func height(_ group: Group) -> Double { Double(group.bars.count) * (barHeight + barGap) + groupGap }

    private static func words(_ threads: Int) -> String { threads == 1 ? "1 thread" : "\(threads) threads at once" }

    private var threads: [Int] { Set(groups.flatMap(\.bars).map(\.threads)).sorted() }

    private func colour(_ bar: Bar) -> String {
        Canvas.colours[(threads.firstIndex(of: bar.threads) ?? 0) % Canvas.colours.count]
    }

    var svg: String {
        let end = Self.top + groups.map(Self.height).reduce(0, +)
        var canvas = Canvas(
            width: Self.width, height: end + Self.bottom, title: "\(title): nanoseconds", description: description)
        let axis = Axis.powers(
            of: 10, "nanoseconds for one operation on each thread (logarithmic)",
            1...max(10, groups.flatMap(\.bars).map(\.nanoseconds).max() ?? 10), from: Self.left,
            to: Self.width - Self.right)
        canvas.text(title, x: 16, y: 24, .title)
        for (index, threads) in threads.enumerated() {
            let x = Self.left + Double(index) * 130
            canvas.rectangle(x: x, y: 36, width: 11, height: 11, Canvas.colours[index % Canvas.colours.count])
            canvas.text(Self.words(threads), x: x + 17, y: 46, .small)
        }
        for tick in axis.ticks {
            canvas.grid(x1: axis.pixel(tick), y1: Self.top - 4, x2: axis.pixel(tick), y2: end)
            canvas.text(tick.tick, x: axis.pixel(tick), y: end + 14, .small, anchor: .middle)
        }
        var y = Self.top
        for group in groups {
            draw(group, at: y, axis, on: &canvas)
            y += Self.height(group)
        }
        canvas.text(axis.title, x: Self.width - Self.right, y: end + 30, .small, anchor: .end)
        canvas.text(caption, x: 16, y: end + 48, .small)
        return canvas.svg
    }

    private func draw(_ group: Group, at y: Double, _ axis: Axis, on canvas: inout Canvas) {
        let height = Self.height(group) - Self.groupGap
        canvas.text(group.title, x: Self.left - 10, y: y + height / 2 + 4, anchor: .end)
        for (index, bar) in group.bars.enumerated() {
            let top = y + Double(index) * (Self.barHeight + Self.barGap)
            let end = axis.pixel(bar.nanoseconds)
            canvas.rectangle(x: Self.left, y: top, width: end - Self.left, height: Self.barHeight, colour(bar))
            canvas.text(bar.nanoseconds.short, x: end + 5, y: top + Self.barHeight - 2.5, .small)
        }
    }

    /// The figures, for those who do not see the picture.
    private var description: String {
        groups.map { group in
            "\(group.title): "
                + group.bars.map { "\($0.nanoseconds.short) on \(Self.words($0.threads))" }.joined(separator: ", ")
        }
        .joined(separator: "; ")
    }
}
