import Synchronization

/// Records accepted orders, so that none is accepted twice.
protocol OrderBook: AnyObject, Sendable {
    /// Returns the line of an accepted order, or nil if there is none with that identifier.
    func line(of id: String) -> Int?

    /// Records an accepted order. Rejected orders are not recorded, because they may be corrected and sent again.
    func enter(_ id: String, line: Int)
}

/// An order book in memory.
final class DayBook: OrderBook {
    private let lines = Mutex<[String: Int]>([:])

    func line(of id: String) -> Int? {
        lines.withLock { $0[id] }
    }

    func enter(_ id: String, line: Int) {
        lines.withLock { $0[id] = line }
    }
}
