/// Charges customers. Asynchronous, because a real payment service is called over a network.
protocol PaymentService: AnyObject, Sendable {
    /// The name in the report.
    var name: String { get }

    /// The number of charged payments.
    var charged: Int { get }

    /// Checks whether an amount can be charged, and throws ``Rejection/paymentDeclined`` if not. The result is always the same
    /// for an amount.
    func authorize(_ amount: Money) async throws(Rejection)

    /// Charges an authorized amount.
    func charge(_ amount: Money, for order: String) async
}
