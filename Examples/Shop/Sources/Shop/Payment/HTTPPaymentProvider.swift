import Foundation
import Hopoate
import Logging
import Wire

/// A provider that is asked over HTTP: `POST /charges` with the payment as JSON, 201 for yes, 402 for no.
package final class HTTPPaymentProvider: PaymentProvider {
    private struct Answer: Decodable {
        let id: String?
        let reason: String?
    }

    private let client: WireClient
    private let logger: Logger

    package init(endpoint: PaymentEndpoint) {
        @Dependency(\.settings) var settings
        @Dependency(\.logger) var logger
        client = WireClient(
            host: endpoint.address.host, port: endpoint.address.port, timeout: .seconds(settings.paymentTimeout))
        self.logger = logger
    }

    package func charge(_ payment: Payment) async throws(PaymentUnknown) -> PaymentAnswer {
        let response = try await send(payment)
        let answer = try? JSONDecoder().decode(Answer.self, from: Data(response.body))
        switch (response.status, answer?.id, answer?.reason) {
        case (201, let charge?, _): return .accepted(charge: charge)
        case (402, _, let reason?): return .declined(reason: reason)
        default: throw PaymentUnknown("the provider answered with status \(response.status)")
        }
    }

    /// A lost connection may have been a kept one that the provider had just closed. The key makes it safe to ask
    /// again, once.
    private func send(_ payment: Payment) async throws(PaymentUnknown) -> WireResponse {
        guard let body = try? JSONEncoder().encode(payment) else {
            throw PaymentUnknown("the payment cannot be encoded")
        }
        let request = WireRequest(
            "POST", "/charges",
            headers: [("Content-Type", "application/json"), ("Idempotency-Key", payment.key)], body: Array(body))
        do {
            return try await client.send(request)
        } catch .connectionLost {
            do { return try await client.send(request) } catch { throw PaymentUnknown("\(error)") }
        } catch {
            throw PaymentUnknown("\(error)")
        }
    }

    /// Closes the connections.
    package func shutdown() {
        client.shutdown()
        logger.info("closed the payment client")
    }
}
