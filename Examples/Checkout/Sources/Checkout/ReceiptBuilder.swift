/// Writes one receipt. Its state changes with every item, so it is registered as transient: each order has its own instance,
/// which need not be Sendable.
protocol ReceiptBuilder: AnyObject {
    func add(_ item: Quote.Item)

    /// Returns the text, with the totals at the end.
    func finish(_ quote: Quote) -> String
}

/// A receipt in plain text, in minor units.
final class TextReceipt: ReceiptBuilder {
    private var text = ""

    func add(_ item: Quote.Item) {
        text += "\(item.quantity) \(item.sku) \(item.net.minorUnits) \(item.tax.minorUnits)\n"
    }

    func finish(_ quote: Quote) -> String {
        let amounts = "\(quote.net.minorUnits) \(quote.tax.minorUnits) \(quote.gross.minorUnits)"
        return "\(quote.order.id) \(quote.order.currency.rawValue)\n\(text)\(amounts)"
    }
}
