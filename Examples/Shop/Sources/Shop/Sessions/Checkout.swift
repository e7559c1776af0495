public import Logging

/// Turns the basket of a session into a paid order.
public final class Checkout: Sendable {
    private let session: CurrentSession
    private let pricing: Pricing
    private let orders: OrderStore
    private let settlement: Settlement
    private let logger: Logger

    /// Creates a checkout for one session.
    public init(
        session: CurrentSession, pricing: Pricing, orders: OrderStore, settlement: Settlement, logger: Logger
    ) {
        self.session = session
        self.pricing = pricing
        self.orders = orders
        self.settlement = settlement
        self.logger = logger
    }

    /// `Settlement` relies on the order of these steps.
    package func run(card: String) async throws -> Order {
        let session = try await session.id()
        guard let order = try await orders.reserve(for: session, card: card, pricing: pricing) else {
            throw ShopError.emptyBasket
        }
        return try await settlement.settle(order, logger: logger)
    }
}
