/// A provider for demonstrations that accepts every card but `declined` and charges no money.
public struct DemoPaymentProvider: PaymentProvider {
    /// Creates a provider.
    public init() {}

    /// Accepts the payment, or declines the card `declined`.
    public func charge(_ payment: Payment) async throws(PaymentUnknown) -> PaymentAnswer {
        payment.card == "declined"
            ? .declined(reason: "the card was declined") : .accepted(charge: "demo-\(payment.key)")
    }
}
