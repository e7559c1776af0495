#if Configuration
    public import Configuration

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension Setting where Value: ConfigurationValue {
        /// A setting that must be present.
        ///
        /// ```swift
        /// import Configuration
        /// import HopoateConfiguration
        ///
        /// let configuration: DependencyConfiguration = [InMemoryProvider(values: ["storage.path": "/data"])]
        /// let path: String = try configuration.read(.required("storage.path"))
        /// print(path)
        /// ```
        ///
        /// - Parameters:
        ///   - key: The key.
        ///   - isSecret: Whether errors and access logs must not show the value. ``Secret`` values are always secret.
        /// - Returns: The setting.
        /// - Complexity: Constant.
        public static func required(
            _ key: ConfigKey, isSecret: Bool = false, fileID: StaticString = #fileID, line: UInt = #line
        ) -> Setting {
            Setting(Lookup(key, Value.self, isRequired: true, isSecret, fileID, line), absent: nil) {
                Value(configurationContent: $0)
            }
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension Setting where Value: ConfigurationValue & Comparable {
        /// A setting that must be present, with a value in a range.
        ///
        /// - Parameters:
        ///   - key: The key.
        ///   - range: The accepted values.
        ///   - isSecret: Whether errors and access logs must not show the value.
        /// - Returns: The setting.
        /// - Complexity: Constant.
        public static func required(
            _ key: ConfigKey, in range: ClosedRange<Value>, isSecret: Bool = false, fileID: StaticString = #fileID,
            line: UInt = #line
        ) -> Setting {
            Setting(Lookup(key, Value.self, in: range, isRequired: true, isSecret, fileID, line), absent: nil) {
                Value(configurationContent: $0, in: range)
            }
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension Setting {
        /// A setting that must be present, with a text that a closure converts.
        ///
        /// ```swift
        /// import Configuration
        /// import HopoateConfiguration
        ///
        /// let configuration: DependencyConfiguration = [InMemoryProvider(values: ["tenants": "3;5"])]
        /// let tenants = try configuration.read(
        ///     .required("tenants", expecting: "numbers, separated by semicolons") { text in
        ///         let parts = text.split(separator: ";")
        ///         let numbers = parts.compactMap { Int($0) }
        ///         return numbers.count == parts.count ? numbers : nil
        ///     })
        /// print(tenants)
        /// ```
        ///
        /// - Parameters:
        ///   - key: The key.
        ///   - expected: The accepted texts, for messages: "Set it to …".
        ///   - isSecret: Whether errors and access logs must not show the value. ``Secret`` values are always secret.
        ///   - convert: Returns the value of a text, which may be empty; nil if the text is not accepted.
        /// - Returns: The setting.
        /// - Complexity: Constant.
        public static func required(
            _ key: ConfigKey, expecting expected: String, isSecret: Bool = false, fileID: StaticString = #fileID,
            line: UInt = #line, convert: @escaping @Sendable (String) -> Value?
        ) -> Setting {
            Setting(Lookup(key, .string, expected, isRequired: true, isSecret, fileID, line), absent: nil) {
                $0.scalarText.flatMap(convert)
            }
        }
    }
#endif
