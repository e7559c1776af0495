// What the examples in documentation comments and articles take for granted.

import Hopoate
import HopoateTestingHelpers

protocol Greeter {
    func greeting(for name: String) -> String
}

struct Polite: Greeter {
    func greeting(for name: String) -> String { "Good day, \(name)." }
}

final class GreeterMock: Greeter {
    var answer = ""
    func greeting(for name: String) -> String { answer }
}

protocol Paying {}

struct PaymentMock: Paying {}

protocol HealthCheck {
    var isHealthy: Bool { get }
}

protocol Log {}

extension Log {
    func flush() {}
}

struct ConsoleLog: Log {}

final class FileLog: Log {
    init(_ path: String) {}
}

struct Checkout {
    var greeter: any Greeter
    var log: any Log
}

struct Counting: Greeter {
    var inner: any Greeter
    init(_ inner: any Greeter) { self.inner = inner }
    func greeting(for name: String) -> String { inner.greeting(for: name) }
}

final class Cart {}
final class Pool {}

struct Tenant {
    let id: Int
}

struct Profile: Sendable {
    static func load(_ id: Int) async throws -> Profile { Profile() }
}

protocol Shop {}

struct CornerShop: Shop {
    init(greeter: any Greeter, log: (any Log)?) {}
}

protocol Reading {}
protocol Writing {}
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
}

@MainActor
final class Window {}

enum CurrencyKey: DependencyKey {
    static var defaultValue: String { "EUR" }
}

let container = DependencyContainer()
