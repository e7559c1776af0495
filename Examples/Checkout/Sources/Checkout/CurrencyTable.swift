/// Converts prices to other currencies.
protocol CurrencyTable: Sendable {
    /// Returns the price in a currency, rounded half up to whole minor units.
    func convert(_ price: Money, to currency: Currency) throws(Rejection) -> Money
}

/// The exchange rates of one day, from euros.
struct DailyRates: CurrencyTable {
    func convert(_ price: Money, to currency: Currency) throws(Rejection) -> Money {
        precondition(price.currency == .eur, "list prices are in euros")
        return try price.scaled(by: Self.rate(currency), in: currency)
    }

    /// Minor units per euro cent.
    private static func rate(_ currency: Currency) -> Ratio {
        switch currency {
        case .eur: .millionths(1_000_000)
        case .usd: .millionths(1_083_700)
        case .gbp: .millionths(855_200)
        case .jpy: .millionths(1_623_500)
        }
    }
}
