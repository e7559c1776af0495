/// Takes the customers' money. Asynchronous, because a real one is at the other end of a network.
protocol PaymentService: AnyObject, Sendable {
    /// What the report calls it.
    var name: String { get }

    /// How many payments it has taken.
    var charged: Int { get }

    /// Whether an amount would be taken; throws ``Rejection/paymentDeclined`` where not. Says the same whenever it is
    /// asked.
    func authorize(_ amount: Money) async throws(Rejection)

    /// Takes an amount that was authorized.
    func charge(_ amount: Money, for order: String) async
}
