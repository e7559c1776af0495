import Components
import Hummingbird

/// The answer to the question whether the service can answer HTTP requests.
struct Health: ResponseEncodable {
    struct Check: Codable {
        let service: String
        let status: String
    }

    let status: String
    let checks: [Check]

    /// Asks all clients at once. One that is not open yet counts as healthy.
    init(of services: Services, within limit: Duration) async {
        let clients: [(String, (any Client)?)] = [
            ("Database", services.database), ("Cache", services.cache), ("Payments", services.payments),
            ("Mailer", await services.mailer.value),
        ]
        checks = await withTaskGroup(of: (Int, Check).self) { group in
            for (index, (name, client)) in clients.enumerated() {
                group.addTask { (index, Check(service: name, status: await Self.status(of: client, within: limit))) }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
        status = checks.allSatisfy { ["healthy", "notCreated"].contains($0.status) } ? "ready" : "unavailable"
    }

    private static func status(of client: (any Client)?, within limit: Duration) async -> String {
        guard let client else { return "notCreated" }
        do {
            try await withTimeLimit(limit) { try await client.ping() }
            return "healthy"
        } catch {
            return error is TimedOut ? "timedOut" : "unhealthy"
        }
    }
}

extension RouterMethods {
    /// Adds the routes for the load balancer and for the platform.
    func addHealth(of services: Services, within limit: Duration) {
        get("health/live") { _, _ in HTTPResponse.Status.ok }
        get("health/ready") { _, _ in
            let health = await Health(of: services, within: limit)
            return EditedResponse(status: health.status == "ready" ? .ok : .serviceUnavailable, response: health)
        }
    }
}
