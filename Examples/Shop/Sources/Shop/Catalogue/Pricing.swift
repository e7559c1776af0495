/// Prices baskets.
public struct Pricing: Sendable {
    /// The maximum number of pieces of one product.
    package static let mostPieces = 1_000

    private let catalogue: Catalogue

    /// Creates a pricing for a catalogue.
    public init(catalogue: Catalogue) {
        self.catalogue = catalogue
    }

    /// Prices a basket: ten per cent discount for ten or more pieces of a product, rounded half up to cents.
    package func price(_ lines: [BasketLine]) throws(ShopError) -> [OrderLine] {
        var priced: [OrderLine] = []
        for line in lines {
            guard let product = catalogue[line.product] else { throw .unknownProduct(line.product) }
            let full = product.price * line.quantity
            let amount = line.quantity < 10 ? full : (full * 9 + 5) / 10
            priced.append(OrderLine(product: line.product, quantity: line.quantity, amount: amount))
        }
        return priced
    }

    /// Returns a basket with its price.
    package func basket(_ lines: [BasketLine]) throws(ShopError) -> Basket {
        Basket(lines: lines, total: try price(lines).reduce(0) { $0 + $1.amount })
    }
}
