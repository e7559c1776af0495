/// Takes and shows orders.
public struct OrderController: Sendable {
    private let session: CurrentSession
    private let checkout: Checkout
    private let orders: OrderStore

    /// Creates a controller for the orders of one session.
    public init(session: CurrentSession, checkout: Checkout, orders: OrderStore) {
        self.session = session
        self.checkout = checkout
        self.orders = orders
    }

    /// Checks out and returns the paid order.
    public func create(card: String) async throws -> Order.View { try await checkout.run(card: card).view }

    package func list() async throws -> [Order.View] {
        try await orders.orders(of: try await session.id()).map(\.view)
    }

    package func order(_ id: String) async throws -> Order.View {
        guard let order = try await orders.order(id, of: try await session.id()) else {
            throw ShopError.unknownOrder(id)
        }
        return order.view
    }
}
