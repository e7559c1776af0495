public import Logging

/// The settings from the process environment.
public struct Settings: Sendable, Equatable {
    /// A host and a port.
    public struct Address: Sendable, Equatable {
        /// A name or an IP address.
        public var host: String
        /// 0 for any free port.
        public var port: Int

        /// Creates an address.
        public init(host: String, port: Int) {
            self.host = host
            self.port = port
        }
    }

    /// `HOST` and `PORT`; 0 for any free port.
    public var address = Address(host: "127.0.0.1", port: 8080)
    /// `DATABASE`: the file, or nil for a database in memory.
    public var database: String?
    /// `DATABASE_TIMEOUT`: the seconds that a statement waits for a lock.
    public var databaseTimeout = 5.0
    /// `PAYMENT`: `host:port` of the provider, or nil to accept all cards and charge no money.
    public var payment: Address?
    /// `PAYMENT_TIMEOUT`: the seconds that the provider has for an answer.
    public var paymentTimeout = 10.0
    /// `REQUEST_LIMIT`: the number of concurrent HTTP requests. Further requests are refused.
    public var requestLimit = 256
    /// `REQUEST_TIMEOUT`: the seconds that a connection waits for the head of an HTTP request, and then for its body.
    public var requestTimeout = 10.0
    /// `SHUTDOWN_TIMEOUT`: the seconds that a shutdown waits for HTTP requests in flight.
    public var shutdownTimeout = 20.0
    /// `LOG_LEVEL`: a level name of swift-log.
    public var logLevel = Logger.Level.info

    /// Creates the default settings.
    public init() {}

    /// Reads the variables. A variable that is not set leaves its default.
    ///
    /// - Throws: An error for the first variable with a text outside the accepted range; an empty text is outside of every range.
    package init(environment: [String: String]) throws(SettingsError) {
        func value<Value>(_ name: String, _ kind: String, _ parse: (String) -> Value?) throws(SettingsError) -> Value? {
            guard let text = environment[name] else { return nil }
            guard !text.isEmpty, let value = parse(text) else {
                throw SettingsError(variable: name, text: text, kind: kind)
            }
            return value
        }
        func number(_ name: String, _ range: ClosedRange<Int>) throws(SettingsError) -> Int? {
            try value(name, "a number from \(range.lowerBound) to \(range.upperBound)") {
                Int($0).flatMap { range.contains($0) ? $0 : nil }
            }
        }
        // A day is longer than any useful limit and far from overflowing the clocks below.
        func seconds(_ name: String, from least: Double) throws(SettingsError) -> Double? {
            try value(name, "a number of seconds from \(least == 0 ? "0" : "\(least)") to 86400") {
                Double($0).flatMap { least...86_400 ~= $0 ? $0 : nil }
            }
        }
        address.host = try value("HOST", "a host name or an address") { $0 } ?? address.host
        address.port = try number("PORT", 0...65_535) ?? address.port
        database = try value("DATABASE", "a path") { $0 }
        databaseTimeout = try seconds("DATABASE_TIMEOUT", from: 0) ?? databaseTimeout
        payment = try value("PAYMENT", "host:port, with a port from 1 to 65535") { Address($0) }
        paymentTimeout = try seconds("PAYMENT_TIMEOUT", from: 0.001) ?? paymentTimeout
        requestLimit = try number("REQUEST_LIMIT", 1...1_000_000) ?? requestLimit
        requestTimeout = try seconds("REQUEST_TIMEOUT", from: 0.001) ?? requestTimeout
        shutdownTimeout = try seconds("SHUTDOWN_TIMEOUT", from: 0) ?? shutdownTimeout
        let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
        logLevel = try value("LOG_LEVEL", "one of \(levels)") { Logger.Level(rawValue: $0) } ?? logLevel
    }
}

extension Settings.Address {
    /// Reads `host:port`.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, let port = Int(parts[1]), 1...65_535 ~= port else { return nil }
        self.init(host: String(parts[0]), port: port)
    }
}

/// An environment variable with an invalid value.
package struct SettingsError: Error, Equatable, CustomStringConvertible {
    package let variable: String
    package let text: String
    package let kind: String

    package var description: String {
        "\(variable) is '\(text.prefix(64))'. Set it to \(kind), or leave it out."
    }
}
