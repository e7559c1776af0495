import Synchronization

/// The session of an HTTP request, looked up once for all services that use it.
public final class CurrentSession: Sendable {
    private let claimed: String?
    private let sessions: SessionStore
    private let known = Mutex<String?>(nil)

    /// Creates the session of an HTTP request.
    public init(request: RequestInfo, sessions: SessionStore) {
        claimed = request.session
        self.sessions = sessions
    }

    /// Its identifier.
    ///
    /// - Throws: ``ShopError/noSession`` if the request names no existing session.
    package func id() async throws -> String {
        if let id = known.withLock({ $0 }) { return id }
        guard let claimed, try await sessions.exists(claimed) else { throw ShopError.noSession }
        known.withLock { $0 = claimed }
        return claimed
    }
}
