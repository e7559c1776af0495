// A small writer, because the library uses no Foundation. It writes the same fields as the synthesized `Codable` code.

extension DependencySnapshot {
    /// The snapshot as JSON: the fields of this type and of its parts, without those that are nil.
    ///
    /// A decoder that reads it gets an equal snapshot. The text is ASCII, and safe inside an HTML script element: `<`, `>`, `&`,
    /// invisible characters and all others beyond ASCII are escaped.
    ///
    /// - Complexity: O(n) in its length.
    public var json: String {
        var text = ""
        JSON.object([
            ("version", .number(version)), ("time", .number(time)), ("recorded", .optional(recorded)),
            ("liveChildren", .optional(liveChildren)), ("deferredReleases", .number(deferredReleases)),
            ("registrations", .array(registrations.map(\.value))),
        ]).write(to: &text)
        return text
    }
}

extension DependencySnapshot.Registration {
    fileprivate var value: JSON {
        .object([
            ("id", .number(id)), ("type", .string(type)), ("name", .optional(name)),
            ("arguments", .optional(arguments)), ("lifetime", .string(lifetime)), ("sharing", .string(sharing)),
            ("place", .optional(place)), ("level", .number(level)), ("isShadowed", .bool(isShadowed)),
            ("exists", .bool(exists)), ("dependencies", dependencies.map { .array($0.map(\.value)) }),
            ("creations", creations?.value),
        ])
    }
}

extension DependencySnapshot.Dependency {
    fileprivate var value: JSON {
        .object([
            ("type", .string(type)), ("name", .optional(name)), ("arguments", .optional(arguments)),
            ("need", .string(need)), ("isMissing", .bool(isMissing)), ("targets", .array(targets.map(JSON.number))),
        ])
    }
}

extension DependencySnapshot.Creations {
    fileprivate var value: JSON {
        .object([
            ("count", .number(count)), ("failures", .number(failures)), ("first", first?.value), ("last", last?.value),
            ("longest", longest?.value),
        ])
    }
}

extension DependencySnapshot.Creation {
    fileprivate var value: JSON {
        .object([
            ("start", .number(start)), ("duration", .number(duration)), ("chain", .array(chain.map(JSON.string))),
            ("depth", .number(depth)),
        ])
    }
}

/// A JSON value. Fields of an object that are nil are left out.
private enum JSON {
    case number(Int)
    case bool(Bool)
    case string(String)
    case array([JSON])
    case object([(name: String, value: JSON?)])

    static func optional(_ number: Int?) -> JSON? { number.map(JSON.number) }
    static func optional(_ text: String?) -> JSON? { text.map(JSON.string) }

    func write(to text: inout String) {
        switch self {
        case .number(let number): text += String(number)
        case .bool(let bool): text += bool ? "true" : "false"
        case .string(let string): write(string, to: &text)
        case .array(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += "," }
                value.write(to: &text)
            }
            text += "]"
        case .object(let fields):
            text += "{"
            var separator = ""
            for case (let name, let value?) in fields {
                text += "\(separator)\"\(name)\":"
                value.write(to: &text)
                separator = ","
            }
            text += "}"
        }
    }

    private func write(_ string: String, to text: inout String) {
        text += "\""
        for unit in string.utf16 {
            switch unit {
            // Those that end a string, a script element or a comment, and all that are not printable ASCII.
            case 0x22, 0x5C, 0x3C, 0x3E, 0x26, ..<0x20, 0x7F...:
                let digits = String(unit, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            }
        }
        text += "\""
    }
}
