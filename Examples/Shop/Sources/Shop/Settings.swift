package import Logging

/// What an operator can set, by variables of the process environment.
package struct Settings: Sendable, Equatable {
    package struct Address: Sendable, Equatable {
        package var host: String
        package var port: Int

        package init(host: String, port: Int) {
            self.host = host
            self.port = port
        }
    }

    /// `HOST` and `PORT`; 0 for any port that is free.
    package var address = Address(host: "127.0.0.1", port: 8080)
    /// `DATABASE`: the file; nil for one in memory.
    package var database: String?
    /// `DATABASE_TIMEOUT`: how many seconds a statement waits for others.
    package var databaseTimeout = 5.0
    /// `PAYMENT`: `host:port` of the provider; nil for the one that is built in and takes all cards.
    package var payment: Address?
    /// `PAYMENT_TIMEOUT`: how many seconds it has for an answer.
    package var paymentTimeout = 10.0
    /// `REQUEST_LIMIT`: how many requests are worked on at once; more are sent away.
    package var requestLimit = 256
    /// `LOG_LEVEL`: as swift-log names them.
    package var logLevel = Logger.Level.info

    package init() {}

    /// Reads the variables; what is not set stays as it is by default.
    package init(environment: [String: String]) throws(SettingsError) {
        func value<Value>(_ name: String, _ kind: String, _ parse: (String) -> Value?) throws(SettingsError) -> Value? {
            guard let text = environment[name], !text.isEmpty else { return nil }
            guard let value = parse(text) else { throw SettingsError(variable: name, text: text, kind: kind) }
            return value
        }
        address.host = environment["HOST"] ?? address.host
        address.port =
            try value("PORT", "a port number") { Int($0).flatMap { 0...65_535 ~= $0 ? $0 : nil } } ?? address.port
        database = try value("DATABASE", "a path") { $0 }
        databaseTimeout = try value("DATABASE_TIMEOUT", "a number of seconds", seconds) ?? databaseTimeout
        payment = try value("PAYMENT", "host:port") { Address($0) }
        paymentTimeout = try value("PAYMENT_TIMEOUT", "a number of seconds", seconds) ?? paymentTimeout
        requestLimit =
            try value("REQUEST_LIMIT", "a positive number") { Int($0).flatMap { $0 > 0 ? $0 : nil } } ?? requestLimit
        logLevel = try value("LOG_LEVEL", "a log level") { Logger.Level(rawValue: $0) } ?? logLevel
    }
}

private func seconds(_ text: String) -> Double? { Double(text).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil } }

extension Settings.Address {
    /// Reads `host:port`.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, let port = Int(parts[1]), 1...65_535 ~= port else { return nil }
        self.init(host: String(parts[0]), port: port)
    }
}

/// A variable that makes no sense.
package struct SettingsError: Error, Equatable, CustomStringConvertible {
    package let variable: String
    package let text: String
    package let kind: String

    package var description: String { "\(variable) is '\(text)', which is not \(kind)" }
}
