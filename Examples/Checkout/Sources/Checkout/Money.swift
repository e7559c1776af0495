/// An amount in the minor units of its currency: cents, pence, or whole yen. Never a floating-point number.
///
/// Amounts are zero or more. Quantities come from outside, so arithmetic is checked: an overflow of 64 bits throws
/// ``Rejection/amountTooLarge``.
struct Money: Hashable, Sendable {
    var minorUnits: Int64
    var currency: Currency

    init(_ minorUnits: Int64, _ currency: Currency) {
        self.minorUnits = minorUnits
        self.currency = currency
    }

    /// Returns the sum with an amount in the same currency.
    func adding(_ other: Money) throws(Rejection) -> Money {
        precondition(currency == other.currency, "amounts in two currencies have no sum")
        let (sum, overflow) = minorUnits.addingReportingOverflow(other.minorUnits)
        if overflow { throw .amountTooLarge }
        return Money(sum, currency)
    }

    /// Returns the amount for several units.
    func times(_ quantity: Int64) throws(Rejection) -> Money {
        let (product, overflow) = minorUnits.multipliedReportingOverflow(by: quantity)
        if overflow { throw .amountTooLarge }
        return Money(product, currency)
    }

    /// Returns the amount times a positive ratio, rounded half up to whole minor units. This is the only function that rounds.
    ///
    /// - Parameters:
    ///   - ratio: The ratio.
    ///   - currency: The currency of the result.
    /// - Returns: The rounded amount.
    /// - Throws: ``Rejection/amountTooLarge``.
    func scaled(by ratio: Ratio, in currency: Currency) throws(Rejection) -> Money {
        // Two factors of 64 bits fit into 128.
        let doubled = 2 * Int128(minorUnits) * Int128(ratio.numerator)
        let rounded = (doubled + Int128(ratio.denominator)) / (2 * Int128(ratio.denominator))
        guard let minorUnits = Int64(exactly: rounded) else { throw .amountTooLarge }
        return Money(minorUnits, currency)
    }
}

/// A quotient of two integers: a tax rate in basis points, or an exchange rate in millionths.
struct Ratio: Hashable, Sendable {
    let numerator: Int32
    let denominator: Int32

    /// Hundredths of a percent.
    static func basisPoints(_ count: Int32) -> Ratio { Ratio(numerator: count, denominator: 10_000) }

    static func millionths(_ count: Int32) -> Ratio { Ratio(numerator: count, denominator: 1_000_000) }
}
