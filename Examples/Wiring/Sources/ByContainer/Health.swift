import Components
import Hopoate
import Hummingbird

extension DependencyContainer {
    /// Adds a check of each client.
    func addHealthChecks() {
        addHealthCheck(of: Database.self) { try await $0.ping() }
        addHealthCheck(of: (any Cache).self) { try await $0.ping() }
        addHealthCheck(of: (any Payments).self) { try await $0.ping() }
        addHealthCheck(of: (any Mailer).self) { try await $0.ping() }
    }
}

/// The answer to the question whether the service can answer HTTP requests.
struct Health: ResponseEncodable {
    struct Check: Codable {
        let service: String
        let status: String
    }

    let status: String
    let checks: [Check]

    init(_ health: DependencyHealth) {
        status = health.isReady ? "ready" : "unavailable"
        checks = health.results.map { result in
            let status =
                switch result.status {
                case .healthy: "healthy"
                case .unhealthy: "unhealthy"
                case .timedOut: "timedOut"
                case .notCreated: "notCreated"
                }
            return Check(service: "\(result.service)", status: status)
        }
    }
}

extension RouterMethods {
    /// Adds the routes for the load balancer and for the platform.
    func addHealth(of app: DependencyContainer, within limit: Duration) {
        get("health/live") { _, _ in
            await app.health(within: limit).isAlive ? HTTPResponse.Status.ok : .serviceUnavailable
        }
        get("health/ready") { _, _ in
            let health = await app.health(within: limit)
            return EditedResponse(status: health.isReady ? .ok : .serviceUnavailable, response: Health(health))
        }
    }
}
