import Foundation

/// What is asked, from the process environment.
struct Workload {
    /// `SECONDS`: how long it takes in all, warming up included.
    var seconds = 60.0
    /// `SLICE`: for how many milliseconds one server is asked before the next is.
    var slice = 500
    /// `CONNECTIONS`: how many customers ask at once.
    var connections = 16
    /// `WRITES`: how many requests of a hundred change a basket; the others read a product.
    var writes = 10
    /// `ORDERS`: how many requests of a hundred check out.
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

    /// How often each server has its turn: where there is time, a multiple of the orders in which they can come.
    var rounds: Int {
        let most = Int((seconds - 3 * warmUp) * 1_000) / (WiringKind.allCases.count * slice)
        return most < 6 ? max(2, most) : most - most % 6
    }

    /// How many seconds each server is asked before anything counts.
    var warmUp: Double { min(2, seconds / 10) }
}
