/// Knows how much tax is due.
protocol TaxRules: Sendable {
    /// The rate for goods of a category that are delivered to a country; nil where we do not deliver to.
    func rate(for category: Article.Category, in country: String) -> Ratio?
}

/// One standard rate for each country, and reduced ones for food and for books.
struct NationalTaxRules: TaxRules {
    func rate(for category: Article.Category, in country: String) -> Ratio? {
        guard let rates = Self.basisPoints[country] else { return nil }
        switch category {
        case .general: return .basisPoints(rates.general)
        case .food: return .basisPoints(rates.food)
        case .books: return .basisPoints(rates.books)
        }
    }

    private static let basisPoints: [String: (general: Int32, food: Int32, books: Int32)] = [
        "DE": (1900, 700, 700),
        "FR": (2000, 550, 550),
        "GB": (2000, 0, 0),
        "JP": (1000, 800, 1000),
        "US": (725, 0, 725),
    ]
}
