/// An order with its prices and taxes.
struct Quote: Hashable, Sendable {
    /// One item of the order, in the currency of the order.
    struct Item: Hashable, Sendable {
        let sku: String
        let quantity: Int64
        let net: Money
        let tax: Money
    }

    let order: Order
    let items: [Item]
    let net: Money
    let tax: Money
    let gross: Money

    /// Adds up the items.
    init(_ order: Order, items: [Item]) throws(Rejection) {
        var net = Money(0, order.currency)
        var tax = net
        for item in items {
            net = try net.adding(item.net)
            tax = try tax.adding(item.tax)
        }
        self.order = order
        self.items = items
        self.net = net
        self.tax = tax
        gross = try net.adding(tax)
    }
}
