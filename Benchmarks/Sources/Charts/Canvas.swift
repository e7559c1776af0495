import Foundation

/// An SVG image without a background, in colours that can be read on white and on black. The same calls give the same text.
struct Canvas {
    enum Style: String { case plain = "", small, title, strong }
    enum Anchor: String { case start, middle, end }
    enum Mark: CaseIterable { case circle, square, triangle, diamond }

    /// Grey enough for both backgrounds.
    static let ink = "#747d87"
    /// Told apart also by those who do not see all colours: they differ in lightness, and lines have marks besides.
    static let colours = ["#3f8fd9", "#d9822b", "#1fa187", "#b07cc6"]

    private static let style =
        "text{font:13px system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;fill:\(ink)}"
        + ".small{font-size:11px}.title{font-size:15px;font-weight:600}.strong{font-weight:600}"
        + ".grid{stroke:\(ink);stroke-opacity:.3}.line{fill:none;stroke-width:2.25;stroke-linejoin:round}"

    let width: Double
    let height: Double
    private var lines: [String]

    init(width: Double, height: Double, title: String, description: String) {
        self.width = width
        self.height = height
        lines = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(Self.number(width))\" height=\"\(Self.number(height))\" "
                + "viewBox=\"0 0 \(Self.number(width)) \(Self.number(height))\" role=\"img\" "
                + "aria-labelledby=\"title description\">",
            "<style>\(Self.style)</style>",
            "<title id=\"title\">\(Self.escaped(title))</title>",
            "<desc id=\"description\">\(Self.escaped(description))</desc>",
        ]
    }

    var svg: String { (lines + ["</svg>", ""]).joined(separator: "\n") }

    mutating func text(
        _ text: String, x: Double, y: Double, _ style: Style = .plain, anchor: Anchor = .start, turned: Bool = false
    ) {
        let kind = style == .plain ? "" : " class=\"\(style.rawValue)\""
        let turn = turned ? " transform=\"rotate(-90 \(Self.number(x)) \(Self.number(y)))\"" : ""
        lines.append(
            "<text x=\"\(Self.number(x))\" y=\"\(Self.number(y))\"\(kind) text-anchor=\"\(anchor.rawValue)\"\(turn)>"
                + "\(Self.escaped(text))</text>")
    }

    mutating func grid(x1: Double, y1: Double, x2: Double, y2: Double) {
        lines.append(
            "<line class=\"grid\" x1=\"\(Self.number(x1))\" y1=\"\(Self.number(y1))\" x2=\"\(Self.number(x2))\" "
                + "y2=\"\(Self.number(y2))\"/>")
    }

    mutating func rectangle(x: Double, y: Double, width: Double, height: Double, _ colour: String) {
        lines.append(
            "<rect x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" width=\"\(Self.number(width))\" "
                + "height=\"\(Self.number(height))\" rx=\"1.5\" fill=\"\(colour)\"/>")
    }

    mutating func line(_ points: [(x: Double, y: Double)], _ colour: String) {
        let path = points.map { "\(Self.number($0.x)),\(Self.number($0.y))" }.joined(separator: " ")
        lines.append("<polyline class=\"line\" points=\"\(path)\" stroke=\"\(colour)\"/>")
    }

    mutating func mark(_ mark: Mark, x: Double, y: Double, _ colour: String) {
        func polygon(_ corners: [(Double, Double)]) -> String {
            let path = corners.map { "\(Self.number(x + $0.0)),\(Self.number(y + $0.1))" }.joined(separator: " ")
            return "<polygon points=\"\(path)\" fill=\"\(colour)\"/>"
        }
        switch mark {
        case .circle:
            lines.append("<circle cx=\"\(Self.number(x))\" cy=\"\(Self.number(y))\" r=\"4\" fill=\"\(colour)\"/>")
        case .square: lines.append(polygon([(-3.6, -3.6), (3.6, -3.6), (3.6, 3.6), (-3.6, 3.6)]))
        case .triangle: lines.append(polygon([(0, -4.8), (4.6, 3.6), (-4.6, 3.6)]))
        case .diamond: lines.append(polygon([(0, -5), (5, 0), (0, 5), (-5, 0)]))
        }
    }

    /// A tenth of a pixel is enough, and a whole one needs no decimals.
    private static func number(_ pixels: Double) -> String {
        let tenths = (pixels * 10).rounded() / 10
        return tenths == tenths.rounded() ? String(Int(tenths)) : String(tenths)
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}

extension Double {
    /// Three significant digits or so, thousands apart.
    var short: String {
        let decimals = magnitude < 10 ? 2 : magnitude < 100 ? 1 : 0
        let text = String(format: "%.\(decimals)f", self)
        return decimals == 0 ? text.inThousands : text
    }

    /// The number of a tick, without decimals that say nothing.
    var tick: String { self == rounded() ? String(format: "%.0f", self).inThousands : String(format: "%g", self) }
}

extension String {
    /// The digits in groups of three, with a space that breaks no line.
    fileprivate var inThousands: String {
        var groups: [Substring] = []
        var rest = self[...]
        while rest.count > 3 {
            groups.insert(rest.suffix(3), at: 0)
            rest = rest.dropLast(3)
        }
        return ([rest] + groups).joined(separator: "\u{a0}")
    }
}
