// Declarations that the examples in doc comments and articles assume.

import Hopoate
import HopoateTestingHelpers

protocol Greeter: Sendable {
    func greeting(for name: String) -> String
}

struct Polite: Greeter {
    func greeting(for name: String) -> String { "Good day, \(name)." }
}

// A test uses its mock on one thread at a time.
final class GreeterMock: Greeter, @unchecked Sendable {
    var answer = ""
    func greeting(for name: String) -> String { answer }
}

protocol Paying: Sendable {}

struct PaymentMock: Paying {}

protocol HealthCheck: Sendable {
    var isHealthy: Bool { get }
}

protocol Log: Sendable {}

extension Log {
    func flush() {}
}

struct ConsoleLog: Log {}

final class FileLog: Log {
    init(_ path: String) {}
}

// Hummingbird has a type of this name.
#if !canImport(Hummingbird)
    enum Application {
        static func registerServices(in container: DependencyContainer) {
            container.register((any Greeter).self) { _ in Polite() }
            container.register((any Log).self) { _ in ConsoleLog() }
            container.register(Checkout.self, lifetime: .scoped, using: Checkout.init)
        }
    }
#endif

struct Checkout {
    var greeter: any Greeter
    var log: any Log
}

struct Counting: Greeter {
    var inner: any Greeter
    init(_ inner: any Greeter) { self.inner = inner }
    func greeting(for name: String) -> String { inner.greeting(for: name) }
}

final class Cart: Sendable {}
final class Pool: Sendable {}

final class Tenant: Sendable {
    let id: Int
    init(id: Int) { self.id = id }
    func close() {}
}

final class Room: Sendable {
    let name: String
    init(name: String) { self.name = name }
}

struct Profile: Sendable {
    static func load(_ id: Int) async throws -> Profile { Profile() }
}

protocol Shop: Sendable {}

struct CornerShop: Shop {
    init(greeter: any Greeter, log: (any Log)?) {}
}

protocol Reading: Sendable {}
protocol Writing: Sendable {}
final class Store: Reading, Writing {}

let session = DependencyScope("session")

extension DependencyName {
    static let audit: DependencyName = "audit"
}

func serve() {}

struct Invoice {
    let customer: Int
    let currency: String
    var total: Int { customer }
}

struct Report {
    var lines: Int { 3 }
}

struct Database: Sendable {
    static func connect() async throws -> Database { Database() }
    init() {}
    init(connectingWith currency: String) async throws {}
    func rows() async -> Int { 0 }
    func ping() async throws {}
    func close() async {}
}

@MainActor
final class Window {}

enum CurrencyKey: DependencyKey {
    static var defaultValue: String { "EUR" }
}

#if RUNNABLE
    // The container of the running snippet, in Tests/Fixtures/LeakCheck.
    var container: DependencyContainer { Stage.container }
#else
    let container = DependencyContainer()
#endif
