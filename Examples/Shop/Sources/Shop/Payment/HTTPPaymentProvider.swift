import AsyncHTTPClient
import Foundation
import Hopoate
import NIOCore
import NIOHTTP1

/// A provider over HTTP: `POST /charges` with the payment as JSON, 201 for accepted, 402 for declined.
struct HTTPPaymentProvider: PaymentProvider {
    private struct Answer: Decodable {
        let id: String?
        let reason: String?
    }

    /// The maximum length of an answer.
    private static let mostBytes = 16 * 1_024

    private let client: HTTPClient
    private let url: String
    private let limit: Duration

    init(client: HTTPClient, endpoint: PaymentEndpoint) {
        self.client = client
        url = endpoint.chargesURL
        limit = .seconds(endpoint.timeout)
    }

    func charge(_ payment: Payment) async throws(PaymentUnknown) -> PaymentAnswer {
        do {
            return try await withTimeout(limit) { try await chargeOnceOrTwice(payment) }
        } catch let error as PaymentUnknown {
            throw error
        } catch {
            throw PaymentUnknown("\(error)")
        }
    }

    /// Sends the payment again if there is no answer, because the provider may have closed the idle connection just before. The
    /// key makes the second attempt safe.
    private func chargeOnceOrTwice(_ payment: Payment) async throws -> PaymentAnswer {
        do {
            return try await answer(to: payment)
        } catch let error as PaymentUnknown {
            throw error
        } catch {
            try Task.checkCancellation()
            return try await answer(to: payment)
        }
    }

    private func answer(to payment: Payment) async throws -> PaymentAnswer {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers = ["Content-Type": "application/json", "Idempotency-Key": payment.key]
        request.body = .bytes(try JSONEncoder().encode(payment))
        // The deadline of the client covers the head only; `withTimeout` limits the body too.
        let response = try await client.execute(request, deadline: .distantFuture)
        let body = try await response.body.collect(upTo: Self.mostBytes)
        let answer = try? JSONDecoder().decode(Answer.self, from: Data(body.readableBytesView))
        switch (response.status, answer?.id, answer?.reason) {
        case (.created, let charge?, _): return .accepted(charge: charge)
        case (.paymentRequired, _, let reason?): return .declined(reason: reason)
        default: throw PaymentUnknown("the provider answered with status \(response.status.code)")
        }
    }
}
