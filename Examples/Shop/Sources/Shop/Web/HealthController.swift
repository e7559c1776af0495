/// Answers whether the service can work.
package struct HealthController: Sendable {
    /// What an operator gets.
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
