import Hopoate

/// A time during which nobody is charged.
///
/// The newest registration of a type wins, so one that is put on top hides the payment service from the whole
/// program, which knows nothing of it; and when it is taken out by its token, the one below is found again.
struct DryRun {
    /// What is found meanwhile.
    let payment: DryRunPayment
    private let registration: ServiceRegistration<any PaymentService>

    /// Begins: puts a ``DryRunPayment`` in front of the payment service that is registered.
    init(in container: DependencyContainer) {
        let payment = DryRunPayment(inFrontOf: container.resolve((any PaymentService).self))
        self.payment = payment
        registration = container.register(payment, for: (any PaymentService).self)
    }

    /// Ends: the payment service from before is back.
    func end(in container: DependencyContainer) {
        container.remove(registration)
    }
}
