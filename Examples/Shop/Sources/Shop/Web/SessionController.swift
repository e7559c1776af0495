public import Logging

/// Starts sessions.
public struct SessionController: Sendable {
    /// A session as customers see it.
    public struct View: Codable, Sendable {
        package let id: String
    }

    private let sessions: SessionStore
    private let logger: Logger

    /// Creates a controller that stores sessions.
    public init(sessions: SessionStore, logger: Logger) {
        self.sessions = sessions
        self.logger = logger
    }

    /// Starts a session.
    public func create() async throws -> View {
        let id = try await sessions.create()
        logger.debug("session begun", metadata: ["new": "\(id)"])
        return View(id: id)
    }
}
