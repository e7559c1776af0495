import Synchronization

/// Knows which orders were accepted, so that none is accepted twice.
protocol OrderBook: AnyObject, Sendable {
    /// The line that an accepted order was on; nil where there is none with that identifier.
    func line(of id: String) -> Int?

    /// Writes an accepted order down. A rejected one is not: it may be corrected and sent again.
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
