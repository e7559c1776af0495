import GRDB
import Hopoate

/// The sessions, in the database.
public struct SessionStore: Sendable {
    private let storage: Storage
    @Dependency(\.now) private var now: @Sendable () -> Double
    @Dependency(\.makeIdentifier) private var makeIdentifier: @Sendable () -> String

    /// Creates a store in a database.
    public init(storage: Storage) {
        self.storage = storage
    }

    /// Starts a session.
    package func create() async throws -> String {
        let id = makeIdentifier()
        let created = now()
        try await storage.writer.write { database in
            try database.execute(sql: "INSERT INTO session (id, created) VALUES (?, ?)", arguments: [id, created])
        }
        return id
    }

    package func exists(_ id: String) async throws -> Bool {
        try await storage.writer.read { database in
            try Bool.fetchOne(database, sql: "SELECT 1 FROM session WHERE id = ?", arguments: [id]) ?? false
        }
    }
}
