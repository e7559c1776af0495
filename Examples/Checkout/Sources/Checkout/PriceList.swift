/// Knows what is on sale, and for how much.
protocol PriceList: Sendable {
    /// The article with a stock-keeping unit; nil where there is none.
    func article(_ sku: String) -> Article?
}

/// Something on sale.
struct Article: Hashable, Sendable {
    /// What kinds of goods tax laws tell apart.
    enum Category: Sendable { case general, food, books }

    let sku: String
    let category: Category
    /// Without tax, in euros; see ``CurrencyTable``.
    let listPrice: Money
}

/// A price list that is part of the program.
struct FixedPriceList: PriceList {
    private let articles: [String: Article]

    init(_ articles: [Article]) {
        self.articles = Dictionary(articles.map { ($0.sku, $0) }) { first, _ in first }
    }

    func article(_ sku: String) -> Article? { articles[sku] }
}
