package import Logging

/// Begins sessions.
package struct SessionController: Sendable {
    /// What a customer gets.
    package struct View: Codable, Sendable {
        package let id: String
    }

    private let sessions: SessionStore
    private let logger: Logger

    package init(sessions: SessionStore, logger: Logger) {
        self.sessions = sessions
        self.logger = logger
    }

    package func create() async throws -> View {
        let id = try await sessions.create()
        logger.debug("session begun", metadata: ["new": "\(id)"])
        return View(id: id)
    }
}
