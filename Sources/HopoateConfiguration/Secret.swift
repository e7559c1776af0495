#if Configuration
    public import Configuration

    /// A value that descriptions, mirrors and dumps do not show: a password, or a token.
    ///
    /// ```swift
    /// import HopoateConfiguration
    ///
    /// struct PaymentModule: DependencyModule, Configurable {
    ///     let token: Secret<String>
    ///     init(configuration: DependencyConfiguration) throws {
    ///         token = try configuration.read(.required("payment.token"))
    ///         print(token)  // <redacted>
    ///     }
    /// }
    /// func makeHeader(_ token: Secret<String>) -> String { "Bearer \(token.exposed)" }
    /// ```
    ///
    /// If a setting has this type, errors and access logs do not show it either. A secret is not `Codable`, because an encoder would
    /// write the value.
    ///
    /// - Note: Concurrency. Immutable. Thread-safe if the value is.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public struct Secret<Value> {
        /// The value itself. Search for this name to review each use of a secret.
        public let exposed: Value

        /// Creates a secret.
        ///
        /// - Parameter value: The value.
        public init(_ value: Value) {
            exposed = value
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension Secret: Sendable where Value: Sendable {}

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension Secret: Equatable where Value: Equatable {}

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension Secret: Hashable where Value: Hashable {}

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        /// The text `<redacted>`.
        public var description: String { "<redacted>" }

        /// The text `<redacted>`.
        public var debugDescription: String { description }

        /// A mirror without children.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension Secret: ConfigurationValue where Value: ConfigurationValue {
        /// The type of the value.
        public static var configurationType: ConfigType { Value.configurationType }

        /// The accepted values.
        public static var configurationExpectation: String { Value.configurationExpectation }

        /// Creates a secret; nil if its value is not accepted.
        ///
        /// - Parameter content: The content.
        public init?(configurationContent content: ConfigContent) {
            guard let value = Value(configurationContent: content) else { return nil }
            self.init(value)
        }
    }

    /// Tells that the values of a type are secrets.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    protocol AnySecret {}

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension Secret: AnySecret {}

    // Settings that may be absent have optional secrets.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension Optional: AnySecret where Wrapped: AnySecret {}
#endif
