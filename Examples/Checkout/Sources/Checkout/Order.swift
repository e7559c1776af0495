/// The order of a customer: one line of the input, decoded and checked for form. Prices, payment and delivery are checked by the
/// services.
struct Order: Hashable, Sendable {
    /// An article and its quantity, which is at least one.
    struct Item: Hashable, Sendable {
        var sku: String
        var quantity: Int64
    }

    var id: String
    var currency: Currency
    /// The country of delivery, which determines the taxes.
    var country: String
    /// At least one.
    var items: [Item]
}
