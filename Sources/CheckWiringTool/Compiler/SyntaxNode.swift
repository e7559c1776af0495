/// A value of the syntax tree that the compiler prints as JSON.
///
/// `JSONSerialization` reads one value per document and limits the depth. The compiler prints one value per file, and expressions nest
/// deeply.
indirect enum SyntaxNode: Sendable {
    case object([(key: String, value: SyntaxNode)])
    case array([SyntaxNode])
    case string(String)
    case number(Int)
    case flag(Bool)
    case null

    /// The value of a key; null if there is none.
    subscript(_ key: String) -> SyntaxNode {
        guard case .object(let fields) = self else { return .null }
        return fields.first { $0.key == key }?.value ?? .null
    }

    /// The kind of the node, such as `call_expr`; empty if this is no node.
    var kind: String { self["_kind"].text ?? "" }

    var text: String? { if case .string(let text) = self { text } else { nil } }
    var number: Int? { if case .number(let number) = self { number } else { nil } }
    /// Whether it is `true`. The value of a literal in the source is a text.
    var isTrue: Bool {
        switch self {
        case .flag(true), .string("true"): true
        default: false
        }
    }
    var isNull: Bool { if case .null = self { true } else { false } }

    var elements: [SyntaxNode] { if case .array(let elements) = self { elements } else { [] } }

    /// The values of the fields, or the elements.
    var children: [SyntaxNode] {
        switch self {
        case .object(let fields): fields.map(\.value)
        case .array(let elements): elements
        case .string, .number, .flag, .null: []
        }
    }

    /// The first byte of the node in its file.
    var start: Int? { self["range"]["start"].number }

    /// The name of a declaration: that of its `name`.
    var declaredName: String? { self["name"]["base_name"]["name"].text }
}

struct SyntaxError: Error {
    let offset: Int
}

/// Reads values of JSON that follow each other.
struct SyntaxReader {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    static func read(_ bytes: [UInt8]) throws(SyntaxError) -> [SyntaxNode] {
        var reader = SyntaxReader(bytes)
        var values: [SyntaxNode] = []
        while reader.skipSpace() { values.append(try reader.value()) }
        return values
    }

    /// Fields that are long and that no reader of facts uses.
    private static let unused: Set<String> = [
        "decl_context", "init_context", "reqs", "type_usr", "function_ref", "throws",
    ]

    /// Moves to the next byte that is no white space; false at the end.
    private mutating func skipSpace() -> Bool {
        while offset < bytes.count, bytes[offset] <= UInt8(ascii: " ") { offset += 1 }
        return offset < bytes.count
    }

    private mutating func take(_ byte: Unicode.Scalar) -> Bool {
        guard skipSpace(), bytes[offset] == UInt8(ascii: byte) else { return false }
        offset += 1
        return true
    }

    private mutating func value() throws(SyntaxError) -> SyntaxNode {
        if take("{") { return .object(try fields()) }
        if take("[") { return .array(try elements()) }
        if take("\"") { return .string(try string()) }
        guard skipSpace() else { throw SyntaxError(offset: offset) }
        let start = offset
        while offset < bytes.count, !",]} \n".utf8.contains(bytes[offset]) { offset += 1 }
        let word = String(decoding: bytes[start..<offset], as: UTF8.self)
        switch word {
        case "true": return .flag(true)
        case "false": return .flag(false)
        case "null": return .null
        default:
            // Also numbers that are no integers, which no reader of facts uses.
            guard let first = word.utf8.first, first == UInt8(ascii: "-") || (48...57).contains(first) else {
                throw SyntaxError(offset: start)
            }
            return .number(Int(word) ?? 0)
        }
    }

    private mutating func fields() throws(SyntaxError) -> [(key: String, value: SyntaxNode)] {
        var fields: [(key: String, value: SyntaxNode)] = []
        if take("}") { return fields }
        repeat {
            guard take("\"") else { throw SyntaxError(offset: offset) }
            let key = try string()
            guard take(":") else { throw SyntaxError(offset: offset) }
            let value = try value()
            if !Self.unused.contains(key) { fields.append((key, value)) }
        } while take(",")
        guard take("}") else { throw SyntaxError(offset: offset) }
        return fields
    }

    private mutating func elements() throws(SyntaxError) -> [SyntaxNode] {
        var elements: [SyntaxNode] = []
        if take("]") { return elements }
        repeat { elements.append(try value()) } while take(",")
        guard take("]") else { throw SyntaxError(offset: offset) }
        return elements
    }

    /// Reads the rest of a string, after its first quotation mark.
    private mutating func string() throws(SyntaxError) -> String {
        let start = offset
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "\""), bytes[offset] != UInt8(ascii: "\\") {
            offset += 1
        }
        var text = String(decoding: bytes[start..<offset], as: UTF8.self)
        while offset < bytes.count, bytes[offset] == UInt8(ascii: "\\") {
            text += try escape()
            let next = offset
            while offset < bytes.count, bytes[offset] != UInt8(ascii: "\""), bytes[offset] != UInt8(ascii: "\\") {
                offset += 1
            }
            text += String(decoding: bytes[next..<offset], as: UTF8.self)
        }
        guard offset < bytes.count else { throw SyntaxError(offset: start) }
        offset += 1
        return text
    }

    private mutating func escape() throws(SyntaxError) -> String {
        guard offset + 1 < bytes.count else { throw SyntaxError(offset: offset) }
        let letter = Unicode.Scalar(bytes[offset + 1])
        offset += 2
        switch letter {
        case "n": return "\n"
        case "t": return "\t"
        case "r": return "\r"
        case "u":
            guard offset + 4 <= bytes.count,
                let code = UInt32(String(decoding: bytes[offset..<offset + 4], as: UTF8.self), radix: 16)
            else { throw SyntaxError(offset: offset) }
            offset += 4
            return Unicode.Scalar(code).map { String(Character($0)) } ?? ""
        default: return String(Character(letter))
        }
    }
}
