/// A histogram of durations, in steps of an eighth.
struct Latencies {
    private var counts = [UInt64](repeating: 0, count: 64 * 8)
    private(set) var longest: UInt64 = 0
    private(set) var total: UInt64 = 0

    mutating func add(_ nanoseconds: UInt64) {
        counts[Self.step(nanoseconds)] += 1
        longest = max(longest, nanoseconds)
        total += 1
    }

    mutating func add(_ other: Latencies) {
        for step in counts.indices { counts[step] += other.counts[step] }
        longest = max(longest, other.longest)
        total += other.total
    }

    /// The duration in nanoseconds that this part of the operations did not exceed, rounded up to the next step.
    func quantile(_ part: Double) -> UInt64 {
        let wanted = UInt64((Double(total) * part).rounded(.up))
        var seen: UInt64 = 0
        for step in counts.indices {
            seen += counts[step]
            if seen >= wanted { return min(Self.end(of: step), longest) }
        }
        return longest
    }

    private static func step(_ nanoseconds: UInt64) -> Int {
        guard nanoseconds >= 8 else { return Int(nanoseconds) }
        let exponent = 63 - nanoseconds.leadingZeroBitCount
        return exponent * 8 + Int(nanoseconds >> (exponent - 3) & 7)
    }

    private static func end(of step: Int) -> UInt64 {
        guard step >= 24 else { return UInt64(step) }
        let (exponent, eighth) = (step / 8, step % 8)
        return (UInt64(8 + eighth + 1) << (exponent - 3)) - 1
    }
}
