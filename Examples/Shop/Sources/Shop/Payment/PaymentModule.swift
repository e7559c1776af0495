import Hopoate

/// Who takes the money.
struct PaymentModule: DependencyModule {
    func register(in container: DependencyContainer) {
        if let address = container.values.settings.payment {
            container.register(PaymentEndpoint(address), for: PaymentEndpoint.self)
        } else {
            container.register(
                FakeProvider.self, using: FakeProvider.startAnswering, onAsyncDispose: { await $0.stop() })
            container.register(PaymentEndpoint.self, using: PaymentEndpoint.init(of:))
        }
        container.register(
            HTTPPaymentProvider.self, using: HTTPPaymentProvider.init, onDispose: { $0.shutdown() })
        container.forward((any PaymentProvider).self, to: HTTPPaymentProvider.self) { $0 }
        container.register(Settlement.self, using: Settlement.init)
    }
}
