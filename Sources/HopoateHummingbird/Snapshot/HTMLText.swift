#if Hummingbird
    /// Text that is safe as the content of an element and in a quoted attribute.
    ///
    /// A name may contain characters that reverse the text after it, or that cannot be seen. So each character that is a control, a
    /// format, a separator other than a space, or not assigned is shown by its number, as `⟨U+202E⟩`.
    ///
    /// - Parameter length: The greatest number of characters. Of a longer text, the begin and an ellipsis are shown.
    func escaped(_ text: String, upTo length: Int = .max) -> String {
        var visible = ""
        visible.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            if scalar.isVisible {
                visible.unicodeScalars.append(scalar)
            } else {
                visible += "⟨U+\(scalar.hexadecimal)⟩"
            }
        }
        let isShortened = visible.unicodeScalars.count > length
        var safe = ""
        safe.reserveCapacity(visible.utf8.count)
        for scalar in visible.unicodeScalars.prefix(isShortened ? length - 1 : length) {
            switch scalar {
            case "&": safe += "&amp;"
            case "<": safe += "&lt;"
            case ">": safe += "&gt;"
            case "\"": safe += "&quot;"
            case "'": safe += "&#39;"
            case "`": safe += "&#96;"
            default: safe.unicodeScalars.append(scalar)
            }
        }
        return isShortened ? safe + "…" : safe
    }

    extension Unicode.Scalar {
        fileprivate var isVisible: Bool {
            // The names of types contain no-break spaces in place of spaces.
            if isASCII || value == 0xA0 { return value >= 0x20 && value != 0x7F }
            switch properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
                .spaceSeparator:
                return false
            default: return !properties.isDefaultIgnorableCodePoint
            }
        }

        fileprivate var hexadecimal: String {
            let digits = String(value, radix: 16, uppercase: true)
            return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        }
    }

    /// A duration in a unit that suits it: `870 ns`, `12.5 µs`, `340 ms`, `2.41 s`.
    func durationText(_ nanoseconds: Int) -> String {
        var (unit, size) = ("ns", 1)
        for (larger, factor) in [("µs", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)] where nanoseconds >= factor {
            (unit, size) = (larger, factor)
        }
        let whole = nanoseconds / size
        // Three digits. Without a fraction if there are three before it.
        let places = size == 1 || whole >= 100 ? 0 : whole >= 10 ? 1 : 2
        if places == 0 { return "\(whole) \(unit)" }
        let scale = places == 1 ? 10 : 100
        let fraction = String(nanoseconds % size / (size / scale))
        return "\(whole).\(String(repeating: "0", count: places - fraction.count))\(fraction) \(unit)"
    }
#endif
