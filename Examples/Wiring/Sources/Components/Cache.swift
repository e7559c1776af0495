import Synchronization

/// A cache of prices, on a server of its own.
package protocol Cache: Client {
    func prices() async throws -> [String: Int]?
    func store(_ prices: [String: Int]) async throws
}

/// The cache in production. It empties itself when the database changes, so it closes before the database does.
package final class RemoteCache: Cache {
    private let database: Database
    private let events: Events
    private let content = Mutex<[String: Int]?>(nil)

    private init(database: Database, events: Events) {
        self.database = database
        self.events = events
    }

    /// Connects to the server.
    @Sendable package static func open(database: Database, events: Events) async throws -> RemoteCache {
        try await events("open cache")
        return RemoteCache(database: database, events: events)
    }

    package func prices() async throws -> [String: Int]? { content.withLock { $0 } }

    package func store(_ prices: [String: Int]) async throws { content.withLock { $0 = prices } }

    package func ping() async throws { try await events("ping cache") }

    package func close() async throws { try await events("close cache") }
}
