/// Shows the catalogue.
package struct CatalogueController: Sendable {
    private let catalogue: CatalogueService

    @Sendable package init(catalogue: CatalogueService) {
        self.catalogue = catalogue
    }

    package func list() async throws -> String {
        try await catalogue.prices().sorted { $0.key < $1.key }.map { "\($0) \($1)" }.joined(separator: "\n")
    }
}

/// Places and shows the orders of a user.
package struct OrderController: Sendable {
    private let orders: OrderService
    private let events: Events

    @Sendable package init(orders: OrderService, events: Events) {
        self.orders = orders
        self.events = events
    }

    package func place(_ product: String) async throws -> String {
        let order = try await orders.place(product)
        return "\(order.user): \(order.product) for \(order.price)"
    }

    package func list() async throws -> String {
        try await orders.placed().map(\.product).joined(separator: "\n")
    }

    /// Writes the number of orders every few milliseconds, so many times; nil for no end.
    package func watch(times: Int?, write: (String) async throws -> Void) async throws {
        var round = 0
        while round != times {
            round += 1
            try await write("\(try await orders.placed().count)\n")
            try await events("watched \(round)")
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
