/// Tax rates.
protocol TaxRules: Sendable {
    /// Returns the rate for goods of a category and a country of delivery, or nil if the shop does not deliver there.
    func rate(for category: Article.Category, in country: String) -> Ratio?
}

/// A standard rate per country, and reduced rates for food and for books.
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
