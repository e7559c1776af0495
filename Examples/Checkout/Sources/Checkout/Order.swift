/// What a customer asked for: one line of the input, decoded and checked for form. Whether it can be priced, paid and
/// delivered is for the services to say.
struct Order: Hashable, Sendable {
    /// One article and how many of it; more than none.
    struct Item: Hashable, Sendable {
        var sku: String
        var quantity: Int64
    }

    var id: String
    var currency: Currency
    /// Where it is delivered to, which decides the taxes.
    var country: String
    /// At least one.
    var items: [Item]
}
