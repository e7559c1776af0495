import GRDB
import Hopoate

/// The orders in the database. Each step of an order is one transaction:
///
///     reserve   basket → pending order      before any money moves
///     confirm   pending → paid              the provider has accepted the payment
///     release   pending → declined, basket  the provider has declined the payment
///
/// A piece is either in a basket or in an order. A session has at most one pending order. `confirm` and `release` change only a
/// pending order, so they are idempotent.
public struct OrderStore: Sendable {
    private let storage: Storage
    @Dependency(\.now) private var now: @Sendable () -> Double
    @Dependency(\.makeIdentifier) private var makeIdentifier: @Sendable () -> String

    /// Creates a store in a database.
    public init(storage: Storage) {
        self.storage = storage
    }

    /// Returns the pending order of a session, or creates one from its basket.
    ///
    /// - Returns: Nil if the basket is empty.
    package func reserve(
        for session: String, card: String, pricing: Pricing
    ) async throws -> Order? {
        let id = makeIdentifier()
        let created = now()
        return try await storage.writer.write { database in
            if let pending = try Order.fetch(database, where: "session = ? AND state = 'pending'", [session]).first {
                return pending
            }
            let lines = try pricing.price(try BasketStore.lines(of: session, in: database))
            if lines.isEmpty { return nil }
            let order = Order(
                id: id, session: session, state: .pending, total: lines.total, card: card, charge: nil,
                created: created, lines: lines)
            try order.insert(database)
            try database.execute(sql: "DELETE FROM basketLine WHERE session = ?", arguments: [session])
            return order
        }
    }

    /// Marks an order as paid.
    ///
    /// - Returns: The current order, whichever call has marked it.
    package func confirm(_ order: Order, charge: String) async throws -> Order {
        try await storage.writer.write { database in
            try database.execute(
                sql: "UPDATE purchase SET state = 'paid', charge = ? WHERE id = ? AND state = 'pending'",
                arguments: [charge, order.id])
            return try Order.fetch(database, where: "id = ?", [order.id]).first ?? order
        }
    }

    /// Marks an order as declined and puts its pieces back into the basket.
    package func release(_ order: Order) async throws {
        try await storage.writer.write { database in
            try database.execute(
                sql: "UPDATE purchase SET state = 'declined' WHERE id = ? AND state = 'pending'",
                arguments: [order.id])
            if database.changesCount == 0 { return }
            try database.execute(
                sql: """
                    INSERT INTO basketLine (session, product, quantity)
                    SELECT ?, product, quantity FROM purchaseLine WHERE purchase = ?
                    ON CONFLICT (session, product) DO UPDATE SET quantity = quantity + excluded.quantity
                    """,
                arguments: [order.session, order.id])
        }
    }

    /// Returns an order of a session.
    package func order(_ id: String, of session: String) async throws -> Order? {
        try await storage.writer.read { try Order.fetch($0, where: "id = ? AND session = ?", [id, session]).first }
    }

    /// Returns all orders of a session, oldest first.
    package func orders(of session: String) async throws -> [Order] {
        try await storage.writer.read { try Order.fetch($0, where: "session = ?", [session]) }
    }

    /// Returns all pending orders, oldest first.
    package func pending() async throws -> [Order] {
        try await storage.writer.read { try Order.fetch($0, where: "state = 'pending'", []) }
    }
}

extension [OrderLine] {
    fileprivate var total: Int { reduce(0) { $0 + $1.amount } }
}
