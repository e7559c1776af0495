/// Charges customers.
package protocol Payments: Client {
    func charge(_ amount: Int, to user: String) async throws
}

/// The provider of payments in production.
package final class CardPayments: Payments {
    private let events: Events

    private init(events: Events) {
        self.events = events
    }

    /// Connects to the provider.
    @Sendable package static func open(events: Events) async throws -> CardPayments {
        try await events("open payments")
        return CardPayments(events: events)
    }

    package func charge(_ amount: Int, to user: String) async throws { try await events("charge \(user)") }

    package func ping() async throws { try await events("ping payments") }

    package func close() async throws { try await events("close payments") }
}
