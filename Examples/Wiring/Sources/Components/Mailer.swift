/// Sends mail.
package protocol Mailer: Client {
    func send(_ text: String, to user: String) async throws
}

/// The mail server in production. The service starts without it, and connects when the first order needs it.
package final class MailServer: Mailer {
    private let events: Events

    private init(events: Events) {
        self.events = events
    }

    /// Connects to the mail server.
    @Sendable package static func open(events: Events) async throws -> MailServer {
        try await events("open mailer")
        return MailServer(events: events)
    }

    package func send(_ text: String, to user: String) async throws { try await events("mail \(user)") }

    package func ping() async throws { try await events("ping mailer") }

    package func close() async throws { try await events("close mailer") }
}
