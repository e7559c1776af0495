/// Answers health checks.
package struct HealthController: Sendable {
    /// The response to a health check.
    package struct View: Codable, Sendable {
        package let status: String
    }

    private let storage: Storage

    package init(storage: Storage) {
        self.storage = storage
    }

    package func check() async throws -> View {
        try await storage.check()
        return View(status: "ok")
    }
}
