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

struct ConsoleLog: Log {}

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
}

@MainActor
final class Window {}

enum CurrencyKey: DependencyKey {
    static var defaultValue: String { "EUR" }
}

let container = DependencyContainer()
