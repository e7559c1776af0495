/// The report as JSON.
enum JSON {
    static func text(_ report: Report) -> String {
        let rows = report.sections.flatMap { section in section.results.map { row($0, in: section.title) } }
        return """
            {
              "swift": \(quoted(System.swiftVersion)),
              "processor": \(quoted(System.processor)),
              "architecture": \(quoted(System.architecture)),
              "cores": \(System.cores),
              "rows": [
                \(rows.joined(separator: ",\n    "))
              ]
            }

            """
    }

    private static func row(_ result: Result, in section: String) -> String {
        let row = result.row
        var fields = [
            ("section", quoted(section)), ("title", quoted(row.title)), ("operation", quoted(row.operation.rawValue)),
            ("threads", "\(row.threads)"), ("nanoseconds", result.nanoseconds.fixed(3)),
            ("figure", quoted(row.figure.name)),
            ("value", result.value.fixed(3)),
        ]
        if let reference = row.figure.reference { fields.append(("reference", quoted(reference.rawValue))) }
        if let bar = row.bar { fields.append(("bar", bar.fixed(2))) }
        if let goal = row.goal { fields.append(("goal", goal.fixed(2))) }
        if result.verdict != .none { fields.append(("verdict", quoted(result.verdict.rawValue))) }
        return "{" + fields.map { "\(quoted($0)): \($1)" }.joined(separator: ", ") + "}"
    }

    /// Escapes texts without control characters.
    private static func quoted(_ text: String) -> String {
        "\"" + text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined() + "\""
    }
}

extension Row.Figure {
    fileprivate var name: String {
        switch self {
        case .nanoseconds: "nanoseconds"
        case .ratio: "ratio"
        case .timesFaster: "timesFaster"
        case .scaling: "scaling"
        case .bytes: "bytes"
        }
    }

    fileprivate var reference: Operation? {
        switch self {
        case .nanoseconds, .scaling, .bytes: nil
        case .ratio(let other), .timesFaster(let other): other
        }
    }
}
