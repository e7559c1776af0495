import Foundation
import Synchronization
import Wire

/// A provider that takes all cards but `declined`, and no money: for trying the shop, and for its tests.
///
/// It behaves as a good one does: the same key gets the same answer, and is charged once.
package final class FakeProvider: Sendable {
    /// What it does with a request, where a test wants something else.
    package enum Behaviour: Sendable {
        case answer
        /// It answers with a failure, and has not charged.
        case fail(status: Int)
        /// It closes the connection, and has not charged.
        case drop
        /// It charges, and closes the connection before the answer.
        case chargeAndDrop
        /// It never answers, and has not charged.
        case silence
    }

    package typealias Script = @Sendable (Payment) async -> Behaviour

    private let server: WireServer
    private let ledger: Ledger

    private init(_ server: WireServer, _ ledger: Ledger) {
        self.server = server
        self.ledger = ledger
    }

    /// Starts one that answers.
    @Sendable package static func startAnswering() async throws -> FakeProvider {
        try await start(following: { _ in .answer })
    }

    /// Starts one that does what a script says.
    package static func start(following script: @escaping Script) async throws -> FakeProvider {
        let ledger = Ledger()
        let server = try await WireServer.start { request in
            guard request.method == "POST", request.path == "/charges",
                let payment = try? JSONDecoder().decode(Payment.self, from: Data(request.body))
            else { return .respond(WireResponse(400)) }
            ledger.note()
            switch await script(payment) {
            case .answer: return .respond(ledger.answer(payment))
            case .fail(let status): return .respond(WireResponse(status))
            case .drop: return .drop
            case .silence: return .silence
            case .chargeAndDrop:
                _ = ledger.answer(payment)
                return .drop
            }
        }
        return FakeProvider(server, ledger)
    }

    package var port: Int { server.port }
    /// What was charged, by key.
    package var charges: [String: Payment] { ledger.charges }
    /// How many requests have come in.
    package var requests: Int { ledger.requests }

    package func stop() async { await server.stop() }
}

/// What the provider remembers.
private final class Ledger: Sendable {
    private struct Pages {
        var charges: [String: (id: String, payment: Payment)] = [:]
        var requests = 0
    }

    private let pages = Mutex(Pages())

    var charges: [String: Payment] { pages.withLock { $0.charges.mapValues(\.payment) } }
    var requests: Int { pages.withLock { $0.requests } }

    func note() { pages.withLock { $0.requests += 1 } }

    func answer(_ payment: Payment) -> WireResponse {
        if payment.card == "declined" {
            return WireResponse(402, body: Array(#"{"reason":"the card was declined"}"#.utf8))
        }
        let id = pages.withLock { pages in
            let charge = pages.charges[payment.key] ?? (id: "charge-\(pages.charges.count + 1)-\(payment.key)", payment)
            pages.charges[payment.key] = charge
            return charge.id
        }
        return WireResponse(201, body: Array(#"{"id":"\#(id)"}"#.utf8))
    }
}
