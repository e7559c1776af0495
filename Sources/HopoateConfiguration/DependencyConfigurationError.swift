#if Configuration
    import Hopoate

    /// All settings that are absent or not accepted, in the order in which they are read.
    ///
    /// ```swift
    /// import Configuration
    /// import HopoateConfiguration
    ///
    /// struct StorageModule: DependencyModule, Configurable {
    ///     static let configurationKey: ConfigKey = "storage"
    ///     let path: String
    ///     let connections: Int
    ///     init(configuration: DependencyConfiguration) throws {
    ///         (path, connections) = try configuration.read(
    ///             Setting.required("path"), Setting.optional("connections", default: 4, in: 1...64))
    ///     }
    /// }
    /// do {
    ///     try container.install(StorageModule.self, configuration: [EnvironmentVariablesProvider()])
    /// } catch let error as DependencyConfigurationError {
    ///     print(error)
    ///     // 2 settings are wrong:
    ///     //   STORAGE_PATH is absent. Set it to a text that is not empty. App.StorageModule reads it at App/Storage.swift:10.
    ///     //   STORAGE_CONNECTIONS is 'many'. Set it to a whole number from 1 to 64, or leave it out. …
    /// }
    /// ```
    ///
    /// - Note: Concurrency. Immutable and thread-safe.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public struct DependencyConfigurationError: Error, Sendable, CustomStringConvertible {
        /// The problems; at least one.
        public let problems: [Problem]

        init(_ problems: [Problem]) {
            self.problems = problems
        }

        /// The problem if there is one, or a list of the problems, one per line.
        public var description: String {
            if problems.count == 1 { return problems[0].description }
            return (["\(problems.count) settings are wrong:"] + problems.map { "  \($0)" }).joined(separator: "\n")
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension DependencyConfigurationError {
        /// A setting that is absent or not accepted, or a type that refuses its settings.
        ///
        /// - Note: Concurrency. Immutable and thread-safe.
        public struct Problem: Sendable, CustomStringConvertible {
            /// The kind of a problem.
            public struct Reason: Sendable, Hashable {
                enum Kind {
                    case absent, malformed, unreadable, refused
                }
                let kind: Kind

                private init(_ kind: Kind) {
                    self.kind = kind
                }

                /// No provider has a value for the key.
                public static let absent = Reason(.absent)
                /// The value is not accepted.
                public static let malformed = Reason(.malformed)
                /// A provider failed; see ``Problem/underlying``.
                public static let unreadable = Reason(.unreadable)
                /// The initializer of the type threw an error of its own; see ``Problem/underlying``.
                public static let refused = Reason(.refused)
            }

            /// The kind of the problem.
            public let reason: Reason
            /// The key as the provider spells it, for example `STORAGE_PATH`; nil if a type refuses its settings.
            ///
            /// If the key is absent in several providers, their spellings are joined by "or".
            public let key: String?
            /// The accepted values; nil if a type refuses its settings.
            public let expected: String?
            /// The value that is not accepted, at most 64 characters of it; nil if it is secret, absent or unknown.
            public let text: String?
            /// Whether the value is secret.
            public let isSecret: Bool
            /// Whether the setting has neither a default nor an absent value.
            public let isRequired: Bool
            /// The type that reads the setting; nil if the setting is read outside of an initializer.
            public let type: (any Any.Type)?
            /// The place of the setting, as `Module/File.swift:12`; nil if a type refuses its settings.
            public let place: String?
            /// The error of a provider, or that of the type. The errors of providers for secret settings are left out.
            public let underlying: (any Error)?
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension DependencyConfigurationError.Problem {
        init(
            _ lookup: Lookup, _ reason: Reason, key: String, text: String? = nil, isSecret: Bool,
            underlying: (any Error)? = nil, _ type: (any Any.Type)?
        ) {
            self.reason = reason
            self.key = key
            expected = lookup.expected
            self.text = text
            self.isSecret = isSecret
            isRequired = lookup.isRequired
            self.type = type
            place = "\(lookup.fileID):\(lookup.line)"
            self.underlying = underlying
        }

        init(refusedBy type: any Any.Type, _ error: any Error) {
            reason = .refused
            key = nil
            expected = nil
            text = nil
            isSecret = false
            isRequired = false
            self.type = type
            place = nil
            underlying = error
        }

        /// One line: the key, the value unless it is secret, the accepted values, the type and the place.
        public var description: String {
            let cause = underlying.map { ": \($0)" } ?? ""
            guard let key, let expected, let place else {
                return "\(type.map { "'\(typeLabel($0))'" } ?? "A type") refuses its settings\(cause)"
            }
            let failure =
                switch reason.kind {
                case .absent: "is absent"
                case .unreadable: "cannot be read\(cause)"
                case .malformed, .refused:
                    text.map { "is '\($0)'" }
                        ?? (isSecret ? "is not accepted, and its value is secret" : "is not accepted")
                }
            let remedy =
                reason == .unreadable
                ? "Repair its provider" : "Set it to \(expected)\(isRequired ? "" : ", or leave it out")"
            let reader = type.map { "'\(typeLabel($0))' reads it" } ?? "It is read"
            return "\(key) \(failure). \(remedy). \(reader) at \(place)."
        }
    }
#endif
