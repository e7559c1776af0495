/// The articles on sale and their prices.
protocol PriceList: Sendable {
    /// Returns the article with a stock-keeping unit, or nil if there is none.
    func article(_ sku: String) -> Article?
}

/// An article on sale.
struct Article: Hashable, Sendable {
    /// The kinds of goods with different tax rates.
    enum Category: Sendable { case general, food, books }

    let sku: String
    let category: Category
    /// Before tax, in euros; see ``CurrencyTable``.
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
