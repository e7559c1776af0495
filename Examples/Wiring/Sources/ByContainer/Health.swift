import Components
import Hopoate
import HopoateServer

extension DependencyContainer {
    /// Adds a check of each client.
    func addHealthChecks() {
        addHealthCheck(of: Database.self) { try await $0.ping() }
        addHealthCheck(of: (any Cache).self) { try await $0.ping() }
        addHealthCheck(of: (any Payments).self) { try await $0.ping() }
        addHealthCheck(of: (any Mailer).self) { try await $0.ping() }
    }
}
