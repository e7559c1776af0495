/// A currency that orders can be placed in.
enum Currency: String, CaseIterable, Sendable {
    case eur = "EUR"
    case usd = "USD"
    case gbp = "GBP"
    case jpy = "JPY"

    /// The number of decimal digits of the minor unit: two for cents and pence, none for yen.
    var minorDigits: Int { self == .jpy ? 0 : 2 }
}
