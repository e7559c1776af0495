import Foundation
public import Hopoate
public import Logging

// The values of the environment: what is neither a service nor anybody's business to pass along, and what tests set.

extension DependencyValues {
    /// The settings of the operator.
    public var settings: Settings {
        get { self[SettingsKey.self] }
        nonmutating set { self[SettingsKey.self] = newValue }
    }

    /// The logger that all others derive from.
    public var logger: Logger {
        get { self[LoggerKey.self] }
        nonmutating set { self[LoggerKey.self] = newValue }
    }

    /// Seconds since 1970.
    package var now: @Sendable () -> Double {
        get { self[ClockKey.self] }
        nonmutating set { self[ClockKey.self] = newValue }
    }

    /// Makes names for sessions and orders, that nobody guesses.
    package var makeIdentifier: @Sendable () -> String {
        get { self[IdentifierKey.self] }
        nonmutating set { self[IdentifierKey.self] = newValue }
    }
}

enum SettingsKey: DependencyKey {
    static let defaultValue = Settings()
}

enum LoggerKey: DependencyKey {
    static let defaultValue = Logger(label: "shop")
}

enum ClockKey: DependencyKey {
    static let defaultValue: @Sendable () -> Double = { Date().timeIntervalSince1970 }
}

enum IdentifierKey: DependencyKey {
    static let defaultValue: @Sendable () -> String = { UUID().uuidString.lowercased() }
}
