/// The decision about a line.
enum Decision: Sendable {
    case rejected(Rejection)
    case short(Shortfall)
    case accepted(Quote)
}

/// Decides about a line based on the lines before it: duplicates first, then the stock.
///
/// - Parameters:
///   - line: The number of the line.
///   - prepared: Its authorized order, or the reason for its rejection.
///   - book: The earlier orders.
///   - inventory: The remaining stock.
/// - Returns: The decision, which the book and the inventory have recorded.
func decide(
    line: Int, _ prepared: Result<Quote, Rejection>, book: any OrderBook, inventory: any Inventory
) -> Decision {
    switch prepared {
    case .failure(let rejection):
        return .rejected(rejection)
    case .success(let quote):
        if let firstLine = book.line(of: quote.order.id) { return .rejected(.duplicateOrder(firstLine: firstLine)) }
        if let shortfall = inventory.reserve(quote.order.items) { return .short(shortfall) }
        book.enter(quote.order.id, line: line)
        return .accepted(quote)
    }
}
