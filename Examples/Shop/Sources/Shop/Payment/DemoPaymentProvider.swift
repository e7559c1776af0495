/// A provider that accepts every card but `declined` and takes no money: for trying the shop.
package struct DemoPaymentProvider: PaymentProvider {
    package init() {}

    package func charge(_ payment: Payment) async throws(PaymentUnknown) -> PaymentAnswer {
        payment.card == "declined"
            ? .declined(reason: "the card was declined") : .accepted(charge: "demo-\(payment.key)")
    }
}
