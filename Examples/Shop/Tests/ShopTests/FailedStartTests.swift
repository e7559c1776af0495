import Hopoate
import HopoateServer
import HopoateTestingHelpers
import Testing

@testable import Shop

/// The start of the shop with a fault in each of its factories. The database is in memory, and the payment client connects to nothing.
@Suite struct FailedStartTests {
    @Test(
        .everyStart(
            of: { container in
                container.values.settings = Settings()
                container.values.settings.payment.address = .init(host: "127.0.0.1", port: 9)
                try container.install { ShopModule(container.values.settings) }
            },
            start: { _ = try await $0.warmUp(limit: .seconds(3_600)) },
            stop: { try await $0.shutdown(limit: .seconds(3_600)) })
    ) func everyFailedStartClosesTheDatabaseAndThePaymentClient() {}
}
