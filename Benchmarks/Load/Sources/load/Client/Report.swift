import Foundation

/// The result as text.
struct Report {
    let contest: Contest

    var failures: Int { contest.heats.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.failures } } }

    var text: String {
        let workload = contest.workload
        let title = """
            \(contest.heats.count) heats with \(Contest.slices) slices of \(workload.slice) ms, \(workload.connections) connections, \
            \(100 - workload.writes - workload.orders) % reads, \(workload.writes) % basket writes, \
            \(workload.orders) % orders
            """
        let head = row("", ["requests/s", "p50 µs", "p99 µs", "p99.9 µs", "CPU µs/req", "memory MiB", "peak MiB"])
        var lines = [title, "", head] + WiringKind.allCases.map(row)
        lines += ["", "Paired within heats, mean ± standard error:"]
        for kind in [WiringKind.container, .dictionary] {
            lines.append(pairs("throughput of \(kind.rawValue) / hand", kind, \.perSecond))
            lines.append(pairs("CPU/request of \(kind.rawValue) / hand", kind, \.processorTimePerRequest))
        }
        if failures > 0 { lines.append("\(failures) requests FAILED") }
        return lines.joined(separator: "\n") + "\n"
    }

    private func row(_ kind: WiringKind) -> String {
        var all = Tally()
        for heat in contest.heats { all.add(heat[kind] ?? Tally()) }
        let sorted = all.latencies.sorted()
        let usage = contest.usage[kind]
        return row(
            kind.rawValue,
            [
                String(format: "%.0f", all.perSecond), "\(sorted.quantile(0.5))", "\(sorted.quantile(0.99))",
                String(sorted.quantile(0.999)), String(format: "%.2f", all.processorTimePerRequest),
                String(format: "%.1f", Double(usage?.memory ?? 0) / 1_024),
                String(format: "%.1f", Double(usage?.peakMemory ?? 0) / 1_024),
            ])
    }

    private func row(_ name: String, _ cells: [String]) -> String {
        name.padding(toLength: 12, withPad: " ", startingAt: 0)
            + cells.map { String(repeating: " ", count: max(1, 12 - $0.count)) + $0 }.joined()
    }

    private func pairs(_ name: String, _ kind: WiringKind, _ value: (Tally) -> Double) -> String {
        let ratios = contest.heats.compactMap { heat -> Double? in
            guard let one = heat[kind], let other = heat[.hand], value(other) > 0 else { return nil }
            return value(one) / value(other)
        }
        let numbers = [ratios.mean, ratios.standardError].map { String(format: "%.4f", $0) }
        let name = name.padding(toLength: 36, withPad: " ", startingAt: 0)
        return "  \(name) \(numbers[0]) ± \(numbers[1])"
    }
}

extension [UInt32] {
    /// Returns the nearest rank of sorted numbers.
    fileprivate func quantile(_ part: Double) -> UInt32 {
        isEmpty ? 0 : self[Swift.min(count - 1, Int(Double(count) * part))]
    }
}

extension [Double] {
    fileprivate var mean: Double { reduce(0, +) / Double(count) }

    /// The standard error of the mean.
    fileprivate var standardError: Double {
        let mean = self.mean
        let variance = reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(count - 1)
        return (variance / Double(count)).squareRoot()
    }
}
