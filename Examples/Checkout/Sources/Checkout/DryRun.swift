import Hopoate

/// A dry run, in which no payment is charged.
///
/// The newest registration of a type wins, so a second registration shadows the payment service in the whole program. When it is
/// removed with its token, the original service is found again.
struct DryRun {
    /// The payment service during the dry run.
    let payment: DryRunPayment
    private let registration: ServiceRegistration<any PaymentService>

    /// Starts a dry run: registers a ``DryRunPayment`` that shadows the payment service.
    init(in container: DependencyContainer) {
        let payment = DryRunPayment(inFrontOf: container.resolve((any PaymentService).self))
        self.payment = payment
        registration = container.register(payment, for: (any PaymentService).self)
    }

    /// Ends the dry run: the original payment service is found again.
    func end(in container: DependencyContainer) {
        container.remove(registration)
    }
}
