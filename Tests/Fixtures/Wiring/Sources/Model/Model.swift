public import Hopoate

public protocol TimeSource: Sendable { func now() -> Int }
public protocol MailSender: Sendable { func send(_ text: String) }
public protocol Store: Sendable { func title(of id: Int) -> String }
public protocol Policy: Sendable {}

extension DependencyName {
    public static let europe: DependencyName = "europe"
    public static let asia = DependencyName("asia")
}

public struct Bucket: Sendable {
    public let region: String
    public init(region: String) { self.region = region }
}

public struct RequestID: Sendable {
    public let number: Int
    public init(_ number: Int) { self.number = number }
}

/// A connection that takes a while to open.
public final class Database: Sendable {
    public init() async throws { await Task.yield() }
}

extension DependencyContainer {
    /// Registers a service in the way that all services of this program are registered.
    public func registerPolicy<Service: Policy>(_ service: Service) {
        register(service, for: Service.self)
    }

    /// Returns a service, and counts nothing.
    public func counted<Service>(_ type: Service.Type) throws -> Service { try require(type) }
}
