public import Hopoate

/// The time.
public protocol TimeSource: Sendable {
    /// Returns the time.
    func now() -> Int
}

/// Sends mails.
public protocol MailSender: Sendable {
    /// Sends a mail.
    func send(_ text: String)
}

/// Stores titles.
public protocol Store: Sendable {
    /// Returns a title.
    func title(of id: Int) -> String
}

/// A service that all parts of the program register in the same way.
public protocol Policy: Sendable {}

extension DependencyName {
    /// A name that is a literal.
    public static let europe: DependencyName = "europe"
    /// A name that an initializer creates.
    public static let asia = DependencyName("asia")
}

/// A service with names.
public struct Bucket: Sendable {
    /// The region.
    public let region: String

    /// Creates a bucket.
    public init(region: String) { self.region = region }
}

/// A value that each request brings.
public struct RequestID: Sendable {
    /// The number of the request.
    public let number: Int

    /// Creates a value.
    public init(_ number: Int) { self.number = number }
}

/// A connection that takes a while to open.
public final class Database: Sendable {
    /// Opens the connection.
    public init() async throws { await Task.yield() }
}

extension DependencyContainer {
    /// Registers a policy under its own type.
    public func registerPolicy<Service: Policy>(_ service: Service) { register(service, for: Service.self) }

    /// Returns a service of any type.
    public func service<Service>(_ type: Service.Type) throws -> Service { try require(type) }
}
