import Foundation

/// The load, from the process environment.
struct Workload {
    /// `SECONDS`: the total duration, including the warm-up.
    var seconds = 60.0
    /// `SLICE`: the milliseconds of one turn of a server.
    var slice = 250
    /// `CONNECTIONS`: the number of concurrent clients.
    var connections = 16
    /// `WRITES`: the percentage of requests that change a basket. The others read a product.
    var writes = 10
    /// `ORDERS`: the percentage of requests that check out.
    var orders = 0

    init(environment: [String: String]) throws {
        func number(_ name: String, _ range: ClosedRange<Int>, _ otherwise: Int) throws -> Int {
            guard let text = environment[name], !text.isEmpty else { return otherwise }
            guard let value = Int(text), range.contains(value) else {
                throw LoadError("\(name) is '\(text)', which is not from \(range.lowerBound) to \(range.upperBound)")
            }
            return value
        }
        seconds = Double(try number("SECONDS", 1...3_600, 60))
        slice = try number("SLICE", 50...10_000, slice)
        connections = try number("CONNECTIONS", 1...1_000, connections)
        writes = try number("WRITES", 0...100, writes)
        orders = try number("ORDERS", 0...(100 - writes), orders)
    }

    /// The number of times that the servers are started anew. At least two, because the error is estimated from their differences.
    var heats: Int {
        let length = warmUp + Double(Contest.slices * slice) / 1_000
        return max(2, Int(seconds / (Double(WiringKind.allCases.count) * length)))
    }

    /// The seconds per server and heat before the measurement.
    var warmUp: Double { min(0.5, seconds / 20) }
}
