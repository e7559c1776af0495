import Configuration
public import HopoateConfiguration
public import Logging

/// The settings of the operator, from the environment and from files.
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
    /// The settings of the database, `DATABASE_…`.
    public var storage = StorageModule()
    /// The settings of the payment provider, `PAYMENT_…`.
    public var payment = PaymentModule()
    /// `REQUEST_LIMIT`: the number of concurrent HTTP requests. Further requests are refused.
    public var requestLimit = 256
    /// `REQUEST_TIMEOUT`: the seconds that a connection waits for the head of an HTTP request, and then for its body.
    public var requestTimeout = 10.0
    /// `DRAIN_TIME`: the seconds that the shop serves on after it was told to stop, until load balancers have noticed.
    public var drainTime = 0.0
    /// `SHUTDOWN_TIMEOUT`: the seconds that a shutdown waits for HTTP requests in flight.
    public var shutdownTimeout = 20.0
    /// `LOG_LEVEL`: a level name of swift-log.
    public var logLevel = Logger.Level.info

    /// `SNAPSHOT`: whether `GET /internal/dependencies` shows the container. Everybody who reaches the port can read it.
    public var snapshot = false

    /// Creates the default settings.
    public init() {}
}

extension Settings: Configurable {
    /// Reads the variables. A variable that is not set leaves its default.
    public init(configuration: DependencyConfiguration) throws {
        (
            address.host, address.port, storage, payment, requestLimit, requestTimeout, drainTime, shutdownTimeout,
            logLevel, snapshot
        ) = try configuration.read(
            Setting.optional("host", default: address.host),
            Setting.optional("port", default: address.port, in: 0...65_535),
            Setting.part(StorageModule.self),
            Setting.part(PaymentModule.self),
            Setting.optional("request.limit", default: requestLimit, in: 1...1_000_000),
            Setting.seconds("request.timeout", default: requestTimeout, from: 0.001),
            Setting.seconds("drain.time", default: drainTime, from: 0),
            Setting.seconds("shutdown.timeout", default: shutdownTimeout, from: 0),
            Setting.optional("log.level", default: logLevel),
            Setting.optional("snapshot", default: snapshot))
    }
}

extension Setting<Double> {
    /// A day is longer than any useful limit and far from overflowing the clocks of the shop.
    static func seconds(
        _ key: ConfigKey, default seconds: Double, from least: Double, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Setting {
        .optional(
            key, default: seconds, expecting: "a number of seconds from \(least == 0 ? "0" : "\(least)") to 86400",
            fileID: fileID, line: line
        ) { text in
            Double(text).flatMap { least...86_400 ~= $0 ? $0 : nil }
        }
    }
}

// `LOG_LEVEL` is one of the names.
extension Logger.Level: @retroactive ConfigurationValue {}

extension Settings.Address {
    /// Reads `host:port`.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, let port = Int(parts[1]), 1...65_535 ~= port else { return nil }
        self.init(host: String(parts[0]), port: port)
    }
}
