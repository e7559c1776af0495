package import GRDB

/// The baskets of all sessions, in the database.
public struct BasketStore: Sendable {
    private let storage: Storage

    /// Creates a store in a database.
    public init(storage: Storage) {
        self.storage = storage
    }

    /// Sets the quantity of a product in a basket. Zero removes the product.
    ///
    /// - Returns: The whole basket.
    package func put(_ line: BasketLine, of session: String) async throws -> [BasketLine] {
        try await storage.writer.write { database in
            if line.quantity == 0 {
                try database.execute(
                    sql: "DELETE FROM basketLine WHERE session = ? AND product = ?",
                    arguments: [session, line.product])
            } else {
                try database.execute(
                    sql: """
                        INSERT INTO basketLine (session, product, quantity) VALUES (?, ?, ?)
                        ON CONFLICT (session, product) DO UPDATE SET quantity = excluded.quantity
                        """,
                    arguments: [session, line.product, line.quantity])
            }
            return try Self.lines(of: session, in: database)
        }
    }

    /// Returns the basket of a session within a transaction.
    package static func lines(of session: String, in database: Database) throws -> [BasketLine] {
        let statement = try database.cachedStatement(
            sql: "SELECT product, quantity FROM basketLine WHERE session = ? ORDER BY product")
        return try Row.fetchAll(statement, arguments: [session]).map {
            BasketLine(product: $0["product"], quantity: $0["quantity"])
        }
    }
}
