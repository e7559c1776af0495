/// Some pieces of a product.
package struct BasketLine: Codable, Sendable, Equatable {
    package let product: String
    package let quantity: Int
}

/// What a session has put together.
package struct Basket: Codable, Sendable, Equatable {
    package let lines: [BasketLine]
    /// In cents, as it would be charged now.
    package let total: Int
}
