import Hopoate

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
extension DependencyStartReport: CustomStringConvertible {
    /// A text chart: a bar for each service on a common time axis, at most 100 columns wide.
    ///
    /// ```text
    /// 3 services created in 1.300 s. Critical path: *
    /// * App.Database ██████████████████████████████████████████████                                 800 ms
    ///   App.Cache    ███████████████████████                                                        400 ms
    /// * App.Orders   ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░█████████████████████████████   1.300 s
    /// ```
    ///
    /// A light bar means that the creation waited for other services, a dark one that it did not. Long names lose their beginning. Of more
    /// than 50 services, the chart shows 50: those on the critical path first, then those with the longest own durations. The last line
    /// counts the others.
    ///
    /// - Complexity: O(n log n) in the number of services.
    public var description: String {
        guard !creations.isEmpty else { return "No services created." }
        let count = creations.count == 1 ? "1 service" : "\(creations.count) services"
        var lines = ["\(count) created in \(short(total)). Critical path: *"]
        let critical = Set(criticalPath)
        let shown = shownCreations(critical)
        let names = shown.map { fitted(creations[$0].label, to: Self.nameColumns) }
        let nameColumns = names.map(columns).max() ?? 0
        // The mark, the name and the time, with the spaces between them.
        let axis = ChartAxis(columns: Self.allColumns - 2 - nameColumns - 1 - Self.timeColumns, total: total)
        for (index, name) in zip(shown, names) {
            let creation = creations[index]
            let time = short(creation.duration)
            lines.append(
                (critical.contains(index) ? "* " : "  ") + name + spaces(nameColumns - columns(name) + 1)
                    + axis.bar(of: creation) + spaces(Self.timeColumns - time.count) + time)
        }
        if shown.count < creations.count { lines.append("  … and \(creations.count - shown.count) more") }
        return lines.joined(separator: "\n")
    }

    private static var allColumns: Int { 100 }
    private static var nameColumns: Int { 40 }
    /// The widest time has 9 columns.
    private static var timeColumns: Int { 10 }
    private static var mostRows: Int { 50 }

    /// The indices of the creations that the chart shows, in their order.
    private func shownCreations(_ critical: Set<Int>) -> [Int] {
        if creations.count <= Self.mostRows { return Array(creations.indices) }
        func rank(_ index: Int) -> (Int, Duration, Int) {
            (critical.contains(index) ? 0 : 1, .zero - creations[index].ownDuration, index)
        }
        return creations.indices.sorted { rank($0) < rank($1) }.prefix(Self.mostRows).sorted()
    }
}

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
extension DependencyStartReport {
    /// The total and the services of the critical path, for a log.
    package var summary: (total: String, criticalPath: String) {
        let path = criticalPath.filter(creations.indices.contains).map { creations[$0].label }
        return (short(total), path.joined(separator: " → "))
    }
}

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
extension DependencyStartReport.Creation {
    fileprivate var label: String { serviceLabel(service, named: name) }
}

/// The time axis of a chart.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
private struct ChartAxis {
    let columns: Int
    let total: Duration

    /// The bar of a creation, as wide as the axis.
    func bar(of creation: DependencyStartReport.Creation) -> String {
        let first = min(column(creation.start), columns - 1)
        let end = max(column(creation.start + max(creation.duration, .zero)), first + 1)
        var cells = [Character](repeating: " ", count: columns)
        for column in first..<end { cells[column] = "█" }
        for wait in creation.waits {
            let start = max(column(wait.start), first)
            let waitEnd = min(column(wait.start + max(wait.duration, .zero)), end)
            for column in start..<max(waitEnd, start) { cells[column] = "░" }
        }
        return String(cells)
    }

    /// The column at which a time begins; the number of columns for the end.
    private func column(_ time: Duration) -> Int {
        let (time, total) = (microseconds(time), microseconds(total))
        return total == 0 ? 0 : Int(min(time, total) * Int64(columns) / total)
    }
}

// MARK: - Times

/// A time in microseconds, which can be multiplied by the number of columns.
// Integers, because rounding a floating-point number needs the mathematics library of the system.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
private func microseconds(_ time: Duration) -> Int64 {
    let (seconds, attoseconds) = time.saturated.components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
}

/// A time in at most nine columns.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
func short(_ time: Duration) -> String {
    let microseconds = microseconds(time)
    if microseconds < 1_000 { return "\(microseconds) µs" }
    if microseconds < 1_000_000 { return "\(microseconds / 1_000) ms" }
    let seconds = microseconds / 1_000_000
    if seconds >= 1_000_000 { return "> 11 days" }
    if seconds >= 1_000 { return "\(seconds) s" }
    let thousandths = "\(microseconds / 1_000 % 1_000)"
    return "\(seconds)." + String(repeating: "0", count: 3 - thousandths.count) + thousandths + " s"
}
