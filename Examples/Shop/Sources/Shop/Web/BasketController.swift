public import Logging

/// Changes baskets.
public struct BasketController: Sendable {
    private let session: CurrentSession
    private let baskets: BasketStore
    private let pricing: Pricing
    private let logger: Logger

    /// Creates a controller for the basket of one session.
    public init(session: CurrentSession, baskets: BasketStore, pricing: Pricing, logger: Logger) {
        self.session = session
        self.baskets = baskets
        self.pricing = pricing
        self.logger = logger
    }

    /// Sets the quantity of a product in the basket, and returns the basket.
    public func put(_ line: BasketLine) async throws -> Basket {
        guard 0...Pricing.mostPieces ~= line.quantity else {
            throw ShopError.badRequest("The field 'quantity' is not from 0 to \(Pricing.mostPieces).")
        }
        // Throws for a product that does not exist, before anything is written.
        _ = try pricing.price([line])
        let lines = try await baskets.put(line, of: try await session.id())
        logger.debug("basket changed", metadata: ["product": "\(line.product)", "quantity": "\(line.quantity)"])
        return try pricing.basket(lines)
    }
}
