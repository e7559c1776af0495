#if Configuration
    public import Configuration

    /// A type of values that settings have: `String`, `Int`, `Double`, `Bool`, `[String]`, `Duration`, ``Secret``, or one of yours.
    ///
    /// For an enumeration with texts as raw values, the conformance is enough:
    ///
    /// ```swift
    /// import Configuration
    /// import HopoateConfiguration
    ///
    /// enum Mode: String, CaseIterable, ConfigurationValue {
    ///     case live, rehearsal
    /// }
    /// let configuration: DependencyConfiguration = [InMemoryProvider(values: ["mode": "live"])]
    /// let mode: Mode = try configuration.read(.required("mode"))  // otherwise: Set it to one of live, rehearsal.
    /// print(mode)
    /// ```
    ///
    /// A `LosslessStringConvertible` type needs only ``configurationExpectation``.
    ///
    /// - Note: Concurrency. Conversions run on the thread that reads the setting, with no lock held.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public protocol ConfigurationValue: Sendable {
        /// The type that providers are asked for; by default a text.
        static var configurationType: ConfigType { get }

        /// The accepted values, for messages: "a number".
        static var configurationExpectation: String { get }

        /// Creates a value from the content of a key; nil if the content is not accepted.
        ///
        /// If a provider has another type of content than ``configurationType``, the content has that type.
        ///
        /// - Parameter content: The content, which may be an empty text.
        init?(configurationContent content: ConfigContent)
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension ConfigurationValue {
        /// The default implementation: a text.
        public static var configurationType: ConfigType { .string }

        /// Creates a value that is in a range.
        init?(configurationContent content: ConfigContent, in range: ClosedRange<Self>) where Self: Comparable {
            guard let value = Self(configurationContent: content), range.contains(value) else { return nil }
            self = value
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension ConfigurationValue where Self: RawRepresentable<String> {
        /// The default implementation for raw values: the text must be one.
        ///
        /// - Parameter content: The content.
        public init?(configurationContent content: ConfigContent) {
            guard let value = content.text.flatMap(Self.init(rawValue:)) else { return nil }
            self = value
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension ConfigurationValue where Self: RawRepresentable<String> & CaseIterable {
        /// The default implementation for enumerations: a list of the raw values.
        public static var configurationExpectation: String {
            "one of \(allCases.map(\.rawValue).joined(separator: ", "))"
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension ConfigurationValue where Self: LosslessStringConvertible {
        /// The default implementation for types that convert texts.
        ///
        /// - Parameter content: The content.
        public init?(configurationContent content: ConfigContent) {
            guard let value = content.text.flatMap(Self.init) else { return nil }
            self = value
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension ConfigurationValue where Self: RawRepresentable<String> & LosslessStringConvertible {
        /// The default implementation for raw values of types that convert texts, too: the text must be a raw value.
        ///
        /// - Parameter content: The content.
        public init?(configurationContent content: ConfigContent) {
            guard let value = content.text.flatMap(Self.init(rawValue:)) else { return nil }
            self = value
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension ConfigContent {
        /// The content if it is a text.
        var text: String? {
            if case .string(let text) = self { text } else { nil }
        }
    }
#endif
