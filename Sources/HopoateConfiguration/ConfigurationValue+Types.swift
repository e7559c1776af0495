#if Configuration
    public import Configuration

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension String: ConfigurationValue {
        /// A text that is not empty. To accept an empty text, pass a closure to the setting.
        public static var configurationExpectation: String { "a text that is not empty" }

        /// Creates a text; nil if it is empty.
        ///
        /// - Parameter content: The content.
        public init?(configurationContent content: ConfigContent) {
            guard let text = content.text, !text.isEmpty else { return nil }
            self = text
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension Int: ConfigurationValue {
        /// A number without a fraction.
        public static var configurationType: ConfigType { .int }

        /// A number without a fraction.
        public static var configurationExpectation: String { "a whole number" }

        /// Creates a number; nil for other content.
        ///
        /// - Parameter content: The content.
        public init?(configurationContent content: ConfigContent) {
            guard case .int(let number) = content else { return nil }
            self = number
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension Double: ConfigurationValue {
        /// A number.
        public static var configurationType: ConfigType { .double }

        /// A finite number.
        public static var configurationExpectation: String { "a number" }

        /// Creates a number; nil for other content, and for numbers that are not finite.
        ///
        /// - Parameter content: The content.
        public init?(configurationContent content: ConfigContent) {
            switch content {
            case .double(let number) where number.isFinite: self = number
            case .int(let number): self = Double(number)
            default: return nil
            }
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension Bool: ConfigurationValue {
        /// A truth value.
        public static var configurationType: ConfigType { .bool }

        /// A truth value.
        public static var configurationExpectation: String { "true or false" }

        /// Creates a truth value; nil for other content.
        ///
        /// - Parameter content: The content.
        public init?(configurationContent content: ConfigContent) {
            guard case .bool(let value) = content else { return nil }
            self = value
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension [String]: ConfigurationValue {
        /// A list of texts; in an environment variable they are separated by commas.
        public static var configurationType: ConfigType { .stringArray }

        /// A list of texts.
        public static var configurationExpectation: String { "a list of texts that are not empty" }

        /// Creates a list; nil if one of its texts is empty.
        ///
        /// - Parameter content: The content.
        public init?(configurationContent content: ConfigContent) {
            guard case .stringArray(let texts) = content, !texts.contains("") else { return nil }
            self = texts
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension Duration: ConfigurationValue {
        /// A number with a unit.
        public static var configurationExpectation: String { "a time such as 250ms, 10s, 5m or 2h" }

        /// Creates a duration from a whole number with a unit (`ms`, `s`, `m` or `h`), or from a whole number of seconds.
        ///
        /// - Parameter content: The content.
        public init?(configurationContent content: ConfigContent) {
            let time: (number: Int64, milliseconds: Int64)
            switch content {
            case .int(let seconds): time = (Int64(seconds), 1_000)
            case .string(let text):
                let digits = text.prefix { ("0"..."9").contains($0) }
                let units: [Substring: Int64] = ["ms": 1, "s": 1_000, "": 1_000, "m": 60_000, "h": 3_600_000]
                guard let number = Int64(digits), let unit = units[text[digits.endIndex...]] else { return nil }
                time = (number, unit)
            default: return nil
            }
            let (milliseconds, overflows) = time.number.multipliedReportingOverflow(by: time.milliseconds)
            guard !overflows, milliseconds >= 0 else { return nil }
            self = .milliseconds(milliseconds)
        }
    }
#endif
