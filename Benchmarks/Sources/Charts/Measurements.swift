/// What a run of the benchmarks has measured, as it writes it with `--json`.
public struct Measurements: Codable, Sendable, Equatable {
    /// One row of the table.
    public struct Row: Codable, Sendable, Equatable {
        let operation: String
        let threads: Int
        let nanoseconds: Double
    }

    let processor: String
    let architecture: String
    let cores: Int
    let swift: String
    let rows: [Row]

    /// Nanoseconds for one operation on each thread; nil where that was not measured.
    func nanoseconds(_ operation: String, threads: Int = 1) -> Double? {
        rows.first { $0.operation == operation && $0.threads == threads }?.nanoseconds
    }

    /// On how many threads an operation was measured.
    func threads(_ operation: String) -> [Int] {
        Set(rows.filter { $0.operation == operation }.map(\.threads)).sorted()
    }

    /// What the figures are figures of.
    var caption: String {
        "\(processor), \(cores) \(cores == 1 ? "core" : "cores") (\(architecture)), Swift \(swift)"
    }
}
