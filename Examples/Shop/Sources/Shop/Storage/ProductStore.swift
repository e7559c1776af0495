import GRDB

/// The products, in the database.
public struct ProductStore: Sendable {
    private let storage: Storage

    /// Creates a store in a database.
    public init(storage: Storage) {
        self.storage = storage
    }

    /// Returns all products, sorted by article number.
    package func all() async throws -> [Product] {
        try await storage.writer.read { database in
            try Row.fetchAll(database, sql: "SELECT id, name, price FROM product ORDER BY id").map {
                Product(id: $0["id"], name: $0["name"], price: $0["price"])
            }
        }
    }
}
