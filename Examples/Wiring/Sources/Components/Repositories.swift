/// The products, with their prices.
package struct ProductRepository: Sendable {
    private let database: Database

    @Sendable package init(database: Database) {
        self.database = database
    }

    package func prices() async throws -> [String: Int] { try await database.prices() }
}

/// The orders that a transaction sees.
package struct OrderRepository: Sendable {
    private let transaction: Transaction

    @Sendable package init(transaction: Transaction) {
        self.transaction = transaction
    }

    package func insert(_ order: Order) async throws { try await transaction.insert(order) }

    package func orders(of user: String) async throws -> [Order] { try await transaction.orders(of: user) }
}

/// The customers that a transaction sees.
package struct CustomerRepository: Sendable {
    private let transaction: Transaction

    @Sendable package init(transaction: Transaction) {
        self.transaction = transaction
    }

    /// The discount of a customer, from the third order on.
    package func discount(of user: String) async throws -> Int {
        try await transaction.orders(of: user).count < 2 ? 0 : 1
    }
}
