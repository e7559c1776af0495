import AsyncHTTPClient
import Configuration
public import Hopoate
public import HopoateConfiguration
import Logging

/// Registers the payment provider: over HTTP if the settings name one, otherwise one that charges no money.
public struct PaymentModule: DependencyModule, Configurable, Equatable, Sendable {
    /// `PAYMENT`: `host:port` of the provider, or nil to accept all cards and charge no money.
    public var address: Settings.Address?
    /// `PAYMENT_TIMEOUT`: the seconds that the provider has for an answer.
    public var timeout = 10.0

    /// Creates the default settings.
    public init() {}

    /// Reads the settings. A setting that is absent leaves its default.
    public init(configuration: DependencyConfiguration) throws {
        (address, timeout) = try configuration.read(
            Setting.optional("payment", expecting: "host:port, with a port from 1 to 65535") { Settings.Address($0) },
            Setting.seconds("payment.timeout", default: timeout, from: 0.001))
    }

    /// Registers the services.
    public func register(in container: DependencyContainer) {
        container.register(Settlement.self, using: Settlement.init)
        guard let address else {
            container.register((any PaymentProvider).self, using: DemoPaymentProvider.init)
            return
        }
        let logger = container.values.logger
        container.register(PaymentEndpoint(address: address, timeout: timeout), for: PaymentEndpoint.self)
        container.register(
            HTTPClient.self, using: HTTPClient.openForPayments,
            onAsyncDispose: { client in
                try await client.shutdown()
                logger.info("closed the payment client")
            })
        container.register((any PaymentProvider).self, using: HTTPPaymentProvider.init)
    }
}
