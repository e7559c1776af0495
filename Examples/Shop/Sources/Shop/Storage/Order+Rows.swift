import GRDB

extension Order {
    /// Returns the orders that match a condition, oldest first.
    static func fetch(_ database: Database, where condition: String, _ arguments: StatementArguments) throws -> [Order]
    {
        try Row.fetchAll(
            database, sql: "SELECT * FROM purchase WHERE \(condition) ORDER BY created, id", arguments: arguments
        ).map { row in
            let id: String = row["id"]
            return Order(
                id: id, session: row["session"], state: State(rawValue: row["state"]) ?? .pending,
                total: row["total"], card: row["card"], charge: row["charge"], created: row["created"],
                lines: try lines(database, of: id))
        }
    }

    private static func lines(_ database: Database, of id: String) throws -> [OrderLine] {
        try Row.fetchAll(
            database, sql: "SELECT product, quantity, amount FROM purchaseLine WHERE purchase = ? ORDER BY product",
            arguments: [id]
        ).map { OrderLine(product: $0["product"], quantity: $0["quantity"], amount: $0["amount"]) }
    }

    /// Writes the order with its lines.
    func insert(_ database: Database) throws {
        try database.execute(
            sql: "INSERT INTO purchase (id, session, state, total, card, charge, created) VALUES (?, ?, ?, ?, ?, ?, ?)",
            arguments: [id, session, state.rawValue, total, card, charge, created])
        for line in lines {
            try database.execute(
                sql: "INSERT INTO purchaseLine (purchase, product, quantity, amount) VALUES (?, ?, ?, ?)",
                arguments: [id, line.product, line.quantity, line.amount])
        }
    }
}
