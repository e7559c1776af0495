/// Prices and taxes orders.
///
/// Rounding: a list price is converted to the currency of the order once per unit, and tax is due on the net amount of an item.
/// Both round half up to whole minor units. Sums are sums of rounded amounts.
enum Pricing {
    /// Returns an order with its prices.
    static func quote(_ order: Order, services: inout CountedServices) throws(Rejection) -> Quote {
        var items: [Quote.Item] = []
        items.reserveCapacity(order.items.count)
        for item in order.items { items.append(try price(item, of: order, services: &services)) }
        return try Quote(order, items: items)
    }

    /// The hot path: borrows three services per item.
    private static func price(
        _ item: Order.Item, of order: Order, services: inout CountedServices
    ) throws(Rejection) -> Quote.Item {
        guard let article = services.withService((any PriceList).self, { $0.article(item.sku) }) else {
            throw .unknownSKU(item.sku)
        }
        let unitPrice = try services.withService((any CurrencyTable).self) { table throws(Rejection) in
            try table.convert(article.listPrice, to: order.currency)
        }
        let rate = services.withService((any TaxRules).self) { $0.rate(for: article.category, in: order.country) }
        guard let rate else { throw .unknownCountry(order.country) }

        let net = try unitPrice.times(item.quantity)
        let tax = try net.scaled(by: rate, in: order.currency)
        return Quote.Item(sku: item.sku, quantity: item.quantity, net: net, tax: tax)
    }
}
