#if Configuration
    import Configuration
    import Hopoate

    /// Returns a bound of a range for messages: without a fraction if that is zero.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func describe(_ bound: some Any) -> String {
        if let duration = bound as? Duration {
            // A bound that means no limit may be too large to convert.
            guard (.zero ... .seconds(100 * 366 * 86_400)).contains(duration) else { return "\(duration)" }
            let (seconds, attoseconds) = duration.components
            if attoseconds == 0 { return "\(seconds)s" }
            return "\(seconds * 1_000 + attoseconds / 1_000_000_000_000_000)ms"
        }
        let text = "\(bound)"
        return bound is Double && text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension ConfigContent {
        /// The content as one line for messages: at most 64 characters of it, without control characters.
        var shownText: String {
            let limit = 64
            // By scalars: one character can consist of thousands.
            let scalars = fullText.unicodeScalars
            let shown = scalars.prefix(limit).map { scalar in
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator: scalar.escaped(asASCII: true)
                default: String(scalar)
                }
            }
            return shown.joined() + (scalars.dropFirst(limit).isEmpty ? "" : "…")
        }

        /// The text of a single value, for closures that convert texts: a file may have a number instead. Nil for a list, and for bytes.
        var scalarText: String? {
            switch self {
            case .string, .int, .double, .bool: fullText
            default: nil
            }
        }

        private var fullText: String {
            switch self {
            case .string(let text): text
            case .int(let number): "\(number)"
            case .double(let number): "\(number)"
            case .bool(let value): "\(value)"
            case .stringArray(let texts): texts.joined(separator: ",")
            case .intArray(let numbers): "\(numbers)"
            case .doubleArray(let numbers): "\(numbers)"
            case .boolArray(let values): "\(values)"
            case .bytes(let bytes): "\(bytes.count) bytes"
            case .byteChunkArray(let chunks): "\(chunks.count) arrays of bytes"
            }
        }
    }
#endif
