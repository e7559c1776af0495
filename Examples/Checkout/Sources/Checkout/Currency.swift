/// A currency that orders can be placed in.
enum Currency: String, CaseIterable, Sendable {
    case eur = "EUR"
    case usd = "USD"
    case gbp = "GBP"
    case jpy = "JPY"

    /// How many decimal digits the minor unit has: two for cents and pence, none for yen, which has no minor unit.
    var minorDigits: Int { self == .jpy ? 0 : 2 }
}
