import Foundation
public import Hopoate
public import Logging

// Environment values of the shop: neither services nor parameters, and overridden in tests.

extension DependencyValues {
    /// The settings of the operator.
    public var settings: Settings {
        get { self[SettingsKey.self] }
        nonmutating set { self[SettingsKey.self] = newValue }
    }

    /// The logger from which all others derive.
    public var logger: Logger {
        get { self[LoggerKey.self] }
        nonmutating set { self[LoggerKey.self] = newValue }
    }

    /// Seconds since 1970.
    package var now: @Sendable () -> Double {
        get { self[ClockKey.self] }
        nonmutating set { self[ClockKey.self] = newValue }
    }

    /// Returns unguessable identifiers for sessions and orders.
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
