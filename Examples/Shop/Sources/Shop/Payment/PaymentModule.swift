import AsyncHTTPClient
import Hopoate
import Logging

/// Registers the payment provider: over HTTP if the settings name one, otherwise one that charges no money.
struct PaymentModule: DependencyModule {
    func register(in container: DependencyContainer) {
        container.register(Settlement.self, using: Settlement.init)
        guard let address = container.values.settings.payment else {
            container.register((any PaymentProvider).self, using: DemoPaymentProvider.init)
            return
        }
        let logger = container.values.logger
        container.register(PaymentEndpoint(address: address), for: PaymentEndpoint.self)
        container.register(
            HTTPClient.self, using: HTTPClient.openForPayments,
            onAsyncDispose: { client in
                try await client.shutdown()
                logger.info("closed the payment client")
            })
        container.register((any PaymentProvider).self, using: HTTPPaymentProvider.init)
    }
}
