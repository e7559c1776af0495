/// A product and its quantity.
public struct BasketLine: Codable, Sendable, Equatable {
    package let product: String
    package let quantity: Int

    /// Creates a line.
    public init(product: String, quantity: Int) {
        self.product = product
        self.quantity = quantity
    }
}

/// The products in the basket of a session, with their price.
public struct Basket: Codable, Sendable, Equatable {
    package let lines: [BasketLine]
    /// The current price in cents.
    package let total: Int
}
