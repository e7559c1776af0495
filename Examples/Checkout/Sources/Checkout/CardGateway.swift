import Synchronization

/// The payment service of the shop. A real service would call the bank. This one counts.
final class CardGateway: PaymentService {
    private let count = Atomic(0)

    var name: String { "card gateway" }

    var charged: Int { count.load(ordering: .relaxed) }

    func authorize(_ amount: Money) throws(Rejection) {
        if amount.minorUnits > limit(in: amount.currency) { throw .paymentDeclined }
    }

    func charge(_ amount: Money, for order: String) {
        count.add(1, ordering: .relaxed)
    }

    /// The maximum of one payment in minor units.
    private func limit(in currency: Currency) -> Int64 {
        switch currency {
        case .eur, .usd, .gbp: 50_000_00
        case .jpy: 8_000_000
        }
    }
}
