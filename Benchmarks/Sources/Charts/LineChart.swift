/// Lines over a logarithmic axis, each with its name at its end.
struct LineChart {
    struct Line {
        let title: String
        let points: [(x: Double, y: Double)]
    }

    let title: String
    let caption: String
    let across: String
    let up: String
    /// Of which number the ticks below are powers.
    let base: Double
    /// Whether what is compared lies so far apart that the heights are logarithmic too.
    var isSteep = false
    let lines: [Line]

    private static let width = 760.0
    private static let height = 400.0
    private static let left = 70.0
    /// Where the names of the lines are.
    private static let right = 200.0
    private static let top = 52.0
    private static let bottom = 78.0
    private static let labelHeight = 16.0

    private var points: [(x: Double, y: Double)] { lines.flatMap(\.points) }

    var svg: String {
        let bottom = Self.height - Self.bottom
        let end = Self.width - Self.right
        var canvas = Canvas(width: Self.width, height: Self.height, title: "\(title): \(up)", description: description)
        let xs = points.map(\.x)
        let x = Axis.powers(of: base, across, (xs.min() ?? 1)...(xs.max() ?? base), from: Self.left, to: end)
        let ys = points.map(\.y)
        let greatest = ys.max() ?? 1
        let y =
            isSteep
            ? Axis.powers(of: 10, up, (ys.min() ?? 1)...greatest, from: bottom, to: Self.top)
            : Axis.linear(up, greatest: greatest, from: bottom, to: Self.top)
        canvas.text(title, x: 16, y: 24, .title)
        for tick in y.ticks {
            canvas.grid(x1: Self.left, y1: y.pixel(tick), x2: end, y2: y.pixel(tick))
            canvas.text(tick.tick, x: Self.left - 8, y: y.pixel(tick) + 4, .small, anchor: .end)
        }
        for tick in x.ticks {
            canvas.grid(x1: x.pixel(tick), y1: bottom, x2: x.pixel(tick), y2: bottom + 5)
            canvas.text(tick.tick, x: x.pixel(tick), y: bottom + 19, .small, anchor: .middle)
        }
        canvas.text(y.title, x: 20, y: (Self.top + bottom) / 2, .small, anchor: .middle, turned: true)
        canvas.text(x.title, x: (Self.left + end) / 2, y: bottom + 38, .small, anchor: .middle)
        for (index, line) in lines.enumerated() { draw(line, index, x, y, on: &canvas) }
        label(x, y, on: &canvas)
        canvas.text(caption, x: 16, y: Self.height - 12, .small)
        return canvas.svg
    }

    private func look(_ index: Int) -> (colour: String, mark: Canvas.Mark) {
        let marks = Canvas.Mark.allCases
        return (Canvas.colours[index % Canvas.colours.count], marks[index % marks.count])
    }

    private func draw(_ line: Line, _ index: Int, _ x: Axis, _ y: Axis, on canvas: inout Canvas) {
        let (colour, mark) = look(index)
        let places = line.points.map { (x: x.pixel($0.x), y: y.pixel($0.y)) }
        if places.count > 1 { canvas.line(places, colour) }
        for place in places { canvas.mark(mark, x: place.x, y: place.y, colour) }
    }

    /// The names and the last figures, beside the ends of the lines, and apart where those are close together.
    private func label(_ x: Axis, _ y: Axis, on canvas: inout Canvas) {
        let ends = lines.enumerated().compactMap { index, line in line.points.last.map { (index, line.title, $0) } }
            .sorted { y.pixel($0.2.y) < y.pixel($1.2.y) }
        let places = Self.apart(ends.map { y.pixel($0.2.y) }, by: Self.labelHeight, above: Self.height - Self.bottom)
        for ((index, title, last), place) in zip(ends, places) {
            let (colour, mark) = look(index)
            let left = Self.width - Self.right + 14
            canvas.mark(mark, x: left, y: place, colour)
            canvas.text("\(title): \(last.y.short)", x: left + 11, y: place + 4)
        }
    }

    /// Heights in order, moved down as far as it takes to be apart, and then up as far as it takes to end above a limit.
    static func apart(_ heights: [Double], by distance: Double, above limit: Double) -> [Double] {
        var places: [Double] = []
        for height in heights { places.append(max(height, (places.last ?? -.infinity) + distance)) }
        var floor = limit
        for index in places.indices.reversed() {
            places[index] = min(places[index], floor)
            floor = places[index] - distance
        }
        return places
    }

    /// The figures, for those who do not see the picture.
    private var description: String {
        lines.map { line in
            "\(line.title): " + line.points.map { "\($0.y.short) at \($0.x.tick)" }.joined(separator: ", ")
        }
        .joined(separator: "; ")
    }
}
