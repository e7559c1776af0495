/// Some pieces of a product.
public struct BasketLine: Codable, Sendable, Equatable {
    package let product: String
    package let quantity: Int

    /// Makes a line of a product and the number of its pieces.
    public init(product: String, quantity: Int) {
        self.product = product
        self.quantity = quantity
    }
}

/// What a session has put together.
public struct Basket: Codable, Sendable, Equatable {
    package let lines: [BasketLine]
    /// In cents, as it would be charged now.
    package let total: Int
}
