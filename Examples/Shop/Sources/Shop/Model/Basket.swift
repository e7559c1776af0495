/// A product and the number of its pieces.
public struct BasketLine: Codable, Sendable, Equatable {
    package let product: String
    package let quantity: Int

    /// Creates a line.
    public init(product: String, quantity: Int) {
        self.product = product
        self.quantity = quantity
    }
}

/// The products that a session is going to order, with their price.
public struct Basket: Codable, Sendable, Equatable {
    package let lines: [BasketLine]
    /// In cents, as it would be charged now.
    package let total: Int
}
