import ServiceLifecycle
import Synchronization

/// A client of a database, in the memory of this process. It must run as a service.
package final class Database: Client, Service {
    private struct Contents {
        var orders: [Order] = []
        var transactions = 0
    }

    private let events: Events
    private let contents = Mutex(Contents())

    private init(events: Events) {
        self.events = events
    }

    /// Connects to the database.
    @Sendable package static func open(events: Events) async throws -> Database {
        try await events("open database")
        return Database(events: events)
    }

    /// Keeps the connections alive until the service is shut down.
    package func run() async throws {
        try await events("run database")
        try? await gracefulShutdown()
        try await events("stop database")
    }

    /// Begins a transaction.
    @Sendable package func begin() async throws -> Transaction {
        let number = contents.withLock { contents in
            contents.transactions += 1
            return contents.transactions
        }
        try await events("begin \(number)")
        return Transaction(number: number, database: self, events: events)
    }

    package func ping() async throws { try await events("ping database") }

    package func close() async throws { try await events("close database") }

    /// The orders of all committed transactions.
    package var orders: [Order] { contents.withLock(\.orders) }

    /// The prices by product.
    package func prices() async throws -> [String: Int] {
        try await events("read prices")
        return ["tea": 3, "coffee": 4]
    }

    func add(_ orders: [Order]) { contents.withLock { $0.orders += orders } }
}
