import Synchronization

/// Wraps another payment service and withholds all charges.
final class DryRunPayment: PaymentService {
    private let inner: any PaymentService
    private let count = Atomic(0)

    init(inFrontOf inner: any PaymentService) {
        self.inner = inner
    }

    var name: String { "dry run in front of \(inner.name)" }

    var charged: Int { inner.charged }

    /// The number of charges that were withheld.
    var withheld: Int { count.load(ordering: .relaxed) }

    func authorize(_ amount: Money) async throws(Rejection) {
        try await inner.authorize(amount)
    }

    func charge(_ amount: Money, for order: String) {
        count.add(1, ordering: .relaxed)
    }
}
