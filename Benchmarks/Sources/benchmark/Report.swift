/// The result of a row.
struct Result: Sendable {
    enum Verdict: String, Sendable {
        case pass, fail
        /// The rounds disagree: less than three quarters of them are on the same side of the limit.
        case unclear
        /// Without a limit.
        case none
    }

    let row: Row
    let nanoseconds: Double
    let value: Double
    let verdict: Verdict
    /// Whether the median is within the limit, even if the verdict is unclear; true if there is none.
    let isWithinBar: Bool
    let isAtGoal: Bool

    /// Fails if the row was not measured.
    init?(_ row: Row, in samples: Samples, bar: (Row) -> Double? = \.bar) {
        guard let nanoseconds = samples.nanoseconds(row.cell), let values = row.values(in: samples) else { return nil }
        self.row = row
        self.nanoseconds = median(nanoseconds)
        let value = median(values)
        self.value = value
        func holds(_ limit: Double) -> Bool { row.figure.isAtLeast ? value >= limit : value <= limit }
        let bar = bar(row)
        isWithinBar = bar.map(holds) ?? true
        isAtGoal = row.goal.map(holds) ?? false
        if let bar {
            let isUnclear = middleHalf(values).map { $0.lowerBound < bar && bar < $0.upperBound } ?? false
            verdict = isUnclear ? .unclear : isWithinBar ? .pass : .fail
        } else {
            verdict = .none
        }
    }
}

extension Row.Figure {
    /// Whether higher values are better.
    var isAtLeast: Bool {
        switch self {
        case .nanoseconds, .ratio, .bytes: false
        case .timesFaster, .scaling: true
        }
    }
}

/// All results.
struct Report: Sendable {
    struct Section: Sendable {
        let title: String
        let results: [Result]
    }

    var sections: [Section] = []

    var results: [Result] { sections.flatMap(\.results) }

    /// A line with the number of limits that hold.
    var summary: String {
        let judged = results.filter { $0.verdict != .none }
        func list(_ verdict: Result.Verdict, _ text: String) -> String? {
            let matching = judged.filter { $0.verdict == verdict }
            if matching.isEmpty { return nil }
            return "\(matching.count) of \(judged.count) bars \(text): "
                + matching.map { "\($0.row.title) (\($0.row.threads))" }.joined(separator: "; ")
        }
        let lines = [
            list(.fail, "are missed"),
            list(.unclear, "cannot be judged, because the machine is too noisy and the rounds disagree"),
        ].compactMap(\.self)
        return lines.isEmpty ? "all \(judged.count) bars are met" : lines.joined(separator: "\n")
    }

    func nanoseconds(_ operation: Operation, threads: Int) -> Double? {
        results.first { $0.row.operation == operation && $0.row.threads == threads }?.nanoseconds
    }
}

extension Group {
    /// Measures the selected rows.
    func measure(
        _ subjects: [Subject], _ rows: [Row], _ effort: Effort, bar: (Row) -> Double? = \.bar
    ) -> Report.Section {
        var threads: [Operation: [Int]] = [:]
        for cell in rows.flatMap(\.cells) where !threads[cell.operation, default: []].contains(cell.threads) {
            threads[cell.operation, default: []].append(cell.threads)
        }
        var samples = Harness.measure(subjects, on: threads, effort)
        for case (.bytes, let operation) in rows.map({ ($0.figure, $0.operation) }) {
            if let bytes = subjects[operation].allocatedBytes() { samples.add(bytes: bytes, of: operation) }
        }
        return Report.Section(title: title, results: rows.compactMap { Result($0, in: samples, bar: bar) })
    }

    func rows(matching filter: String?) -> [Row] {
        guard let filter else { return rows }
        return rows.filter { $0.title.contains(filter) || $0.operation.rawValue.contains(filter) }
    }
}
