/// The results of some requests.
struct Tally: Sendable {
    /// In microseconds, unordered.
    private(set) var latencies: [UInt32] = []
    private(set) var failures = 0
    /// The processor time of the server in microseconds.
    var processorTime = 0
    var elapsed = Duration.zero

    var requests: Int { latencies.count }
    var perSecond: Double { Double(requests) / max(elapsed.seconds, 1e-9) }
    var processorTimePerRequest: Double { Double(processorTime) / Double(max(requests, 1)) }

    mutating func add(_ latency: Duration, isFine: Bool) {
        latencies.append(UInt32(clamping: Int(latency.seconds * 1e6)))
        if !isFine { failures += 1 }
    }

    mutating func add(_ other: Tally) {
        latencies += other.latencies
        failures += other.failures
        processorTime += other.processorTime
        elapsed += other.elapsed
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
