/// The result of a row.
struct Result: Sendable {
    enum Verdict: String, Sendable {
        case pass, fail
        /// Without a limit.
        case none
    }

    let row: Row
    let nanoseconds: Double
    let value: Double
    let verdict: Verdict
    let isAtGoal: Bool

    /// Fails if the row was not measured.
    init?(_ row: Row, in samples: Samples, bar: (Row) -> Double? = \.bar) {
        guard let nanoseconds = samples.nanoseconds(row.cell), let value = row.value(in: samples) else { return nil }
        self.row = row
        self.nanoseconds = nanoseconds
        self.value = value
        func holds(_ limit: Double) -> Bool { row.figure.isAtLeast ? value >= limit : value <= limit }
        verdict = bar(row).map { holds($0) ? .pass : .fail } ?? .none
        isAtGoal = row.goal.map(holds) ?? false
    }
}

extension Row.Figure {
    /// Whether higher values are better.
    var isAtLeast: Bool {
        switch self {
        case .nanoseconds, .ratio: false
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
        let failed = judged.filter { $0.verdict == .fail }
        guard !failed.isEmpty else { return "all \(judged.count) bars are met" }
        return "\(failed.count) of \(judged.count) bars are missed: "
            + failed.map { "\($0.row.title) (\($0.row.threads))" }.joined(separator: "; ")
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
        let samples = Harness.measure(subjects, on: threads, effort)
        return Report.Section(title: title, results: rows.compactMap { Result($0, in: samples, bar: bar) })
    }

    func rows(matching filter: String?) -> [Row] {
        guard let filter else { return rows }
        return rows.filter { $0.title.contains(filter) || $0.operation.rawValue.contains(filter) }
    }
}
