// The width of a text in a terminal. A service may have any name, also one with signs that move the cursor.

/// A text of that many spaces; none if the number is negative.
func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }

/// The number of columns of a text without control characters.
func columns(_ text: String) -> Int { text.reduce(0) { $0 + $1.columns } }

/// Returns a text of at most so many columns, without control characters. A longer one loses its beginning.
func fitted(_ text: String, to most: Int) -> String {
    let characters = Array(text.withoutControls)
    if characters.reduce(0, { $0 + $1.columns }) <= most { return String(characters) }
    var width = 1
    var start = characters.count
    while start > 0, width + characters[start - 1].columns <= most {
        start -= 1
        width += characters[start].columns
    }
    return "…" + String(characters[start...])
}

extension String {
    /// The text with a replacement character for each scalar that has no shape, or that moves or reverses what follows.
    fileprivate var withoutControls: String {
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            // The joiner is a part of some emoji.
            case .format where scalar == "\u{200D}": text.append(scalar)
            case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse, .surrogate:
                text.append("\u{FFFD}")
            default: text.append(scalar)
            }
        }
        return String(text)
    }
}

extension Character {
    /// The number of columns: two for ideographs and emoji.
    fileprivate var columns: Int { unicodeScalars.contains(where: \.isWide) ? 2 : 1 }
}

extension Unicode.Scalar {
    fileprivate var isWide: Bool {
        if properties.isEmojiPresentation || value == 0xFE0F { return true }
        return switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F,
            0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
