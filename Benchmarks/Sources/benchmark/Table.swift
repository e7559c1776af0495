/// The report as aligned text.
struct Table {
    private static let heads = ["operation", "threads", "ns", "figure", "bar", "goal", ""]

    /// Returns the lines of a section.
    static func lines(_ section: Report.Section, bar: (Row) -> Double? = \.bar) -> [String] {
        let rows = section.results.map { result -> [String] in
            let row = result.row
            return [
                row.title, "\(row.threads)", result.nanoseconds.short, row.figure.text(result.value),
                bar(row).map(row.figure.limit) ?? "", row.goal.map(row.figure.limit) ?? "", text(result),
            ]
        }
        return ["", section.title] + aligned([heads] + rows).map { "  " + $0 }
    }

    private static func text(_ result: Result) -> String {
        switch result.verdict {
        case .pass: result.isAtGoal ? "pass, at goal" : "pass"
        case .fail: "missed"
        case .unclear: "unclear: too noisy"
        case .none: result.isAtGoal ? "at goal" : ""
        }
    }

    /// Aligns the first column to the left and numbers to the right. All sections have the same widths.
    private static func aligned(_ rows: [[String]]) -> [String] {
        let widths = [41, 7, 8, 16, 10, 10, 0]
        return rows.map { row in
            let columns = row.enumerated().map { index, text in
                text.padded(to: widths[index], right: index != 0 && index != 6)
            }
            return trimmed(columns.joined(separator: "  "))
        }
    }

    private static func trimmed(_ line: String) -> String {
        String(line.reversed().drop { $0 == " " }.reversed())
    }
}

extension Row.Figure {
    /// The figure, or an empty text if it equals the column of nanoseconds.
    func text(_ value: Double) -> String {
        switch self {
        case .nanoseconds: ""
        case .ratio(let other): "\(value.fixed(2)) × \(other.inWords)"
        case .timesFaster: "\(value.fixed(1)) × faster"
        case .scaling: "\(value.fixed(2)) ×"
        case .bytes: "\(value.fixed(0)) bytes"
        }
    }

    func limit(_ value: Double) -> String {
        switch self {
        case .nanoseconds: "≤ \(value.fixed(0)) ns"
        case .bytes: "≤ \(value.fixed(0)) bytes"
        case .ratio: "≤ \(value.fixed(2))"
        case .timesFaster, .scaling: "≥ \(value.fixed(1))"
        }
    }
}

extension Operation {
    /// The short name of the reference of a ratio.
    fileprivate var inWords: String {
        switch self {
        case .floor, .initializer: "floor"
        case .quiet: "quiet"
        case .resolve10, .rotate10, .dictionary10: "10 keys"
        default: rawValue
        }
    }
}
