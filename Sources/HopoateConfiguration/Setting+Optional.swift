#if Configuration
    public import Configuration

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension Setting where Value: ConfigurationValue {
        /// A setting with a default.
        ///
        /// ```swift
        /// import Configuration
        /// import HopoateConfiguration
        ///
        /// let configuration: DependencyConfiguration = [EnvironmentVariablesProvider()]
        /// let host = try configuration.read(.optional("host", default: "127.0.0.1"))
        /// print(host)
        /// ```
        ///
        /// The default applies only if the key is absent. A value that is not accepted is an error.
        ///
        /// - Parameters:
        ///   - key: The key.
        ///   - value: The default.
        ///   - isSecret: Whether errors and access logs must not show the value. ``Secret`` values are always secret.
        /// - Returns: The setting.
        /// - Complexity: Constant.
        public static func optional(
            _ key: ConfigKey, default value: Value, isSecret: Bool = false, fileID: StaticString = #fileID,
            line: UInt = #line
        ) -> Setting {
            Setting(Lookup(key, Value.self, isRequired: false, isSecret, fileID, line), absent: { value }) {
                Value(configurationContent: $0)
            }
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension Setting where Value: ConfigurationValue & Comparable {
        /// A setting with a default, and otherwise a value in a range.
        ///
        /// - Parameters:
        ///   - key: The key.
        ///   - value: The default, which may be outside of the range.
        ///   - range: The accepted values.
        ///   - isSecret: Whether errors and access logs must not show the value.
        /// - Returns: The setting.
        /// - Complexity: Constant.
        public static func optional(
            _ key: ConfigKey, default value: Value, in range: ClosedRange<Value>, isSecret: Bool = false,
            fileID: StaticString = #fileID, line: UInt = #line
        ) -> Setting {
            Setting(Lookup(key, Value.self, in: range, isRequired: false, isSecret, fileID, line), absent: { value }) {
                Value(configurationContent: $0, in: range)
            }
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension Setting where Value: Sendable {
        /// A setting with a default, and otherwise a text that a closure converts.
        ///
        /// - Parameters:
        ///   - key: The key.
        ///   - value: The default.
        ///   - expected: The accepted texts, for messages: "Set it to …".
        ///   - isSecret: Whether errors and access logs must not show the value. ``Secret`` values are always secret.
        ///   - convert: Returns the value of a text, which may be empty; nil if the text is not accepted.
        /// - Returns: The setting.
        /// - Complexity: Constant.
        public static func optional(
            _ key: ConfigKey, default value: Value, expecting expected: String, isSecret: Bool = false,
            fileID: StaticString = #fileID, line: UInt = #line, convert: @escaping @Sendable (String) -> Value?
        ) -> Setting {
            Setting(Lookup(key, .string, expected, isRequired: false, isSecret, fileID, line), absent: { value }) {
                $0.scalarText.flatMap(convert)
            }
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension Setting {
        /// A setting that is nil if its key is absent.
        ///
        /// ```swift
        /// import Configuration
        /// import HopoateConfiguration
        ///
        /// let configuration: DependencyConfiguration = [EnvironmentVariablesProvider()]
        /// let proxy: String? = try configuration.read(.optional("proxy"))
        /// print(proxy ?? "no proxy")
        /// ```
        ///
        /// - Parameters:
        ///   - key: The key.
        ///   - isSecret: Whether errors and access logs must not show the value. ``Secret`` values are always secret.
        /// - Returns: The setting.
        /// - Complexity: Constant.
        public static func optional<Wrapped: ConfigurationValue>(
            _ key: ConfigKey, isSecret: Bool = false, fileID: StaticString = #fileID, line: UInt = #line
        ) -> Setting where Value == Wrapped? {
            Setting(Lookup(key, Wrapped.self, isRequired: false, isSecret, fileID, line), absent: { nil }) {
                Wrapped(configurationContent: $0).map { .some($0) }
            }
        }

        /// A setting that is nil if its key is absent, and otherwise a value in a range.
        ///
        /// - Parameters:
        ///   - key: The key.
        ///   - range: The accepted values.
        ///   - isSecret: Whether errors and access logs must not show the value.
        /// - Returns: The setting.
        /// - Complexity: Constant.
        public static func optional<Wrapped: ConfigurationValue & Comparable>(
            _ key: ConfigKey, in range: ClosedRange<Wrapped>, isSecret: Bool = false, fileID: StaticString = #fileID,
            line: UInt = #line
        ) -> Setting where Value == Wrapped? {
            Setting(Lookup(key, Wrapped.self, in: range, isRequired: false, isSecret, fileID, line), absent: { nil }) {
                Wrapped(configurationContent: $0, in: range).map { .some($0) }
            }
        }

        /// A setting that is nil if its key is absent, and otherwise a text that a closure converts.
        ///
        /// - Parameters:
        ///   - key: The key.
        ///   - expected: The accepted texts, for messages: "Set it to …".
        ///   - isSecret: Whether errors and access logs must not show the value. ``Secret`` values are always secret.
        ///   - convert: Returns the value of a text, which may be empty; nil if the text is not accepted.
        /// - Returns: The setting.
        /// - Complexity: Constant.
        public static func optional<Wrapped>(
            _ key: ConfigKey, expecting expected: String, isSecret: Bool = false, fileID: StaticString = #fileID,
            line: UInt = #line, convert: @escaping @Sendable (String) -> Wrapped?
        ) -> Setting where Value == Wrapped? {
            Setting(Lookup(key, .string, expected, isRequired: false, isSecret, fileID, line), absent: { nil }) {
                $0.scalarText.flatMap(convert).map { .some($0) }
            }
        }
    }
#endif
