/// The letters of a mangled name, with the numbers and identifiers in it.
struct MangledInput {
    private let bytes: [UInt8]
    private var position = 0
    /// The words of the identifiers so far: later identifiers refer to them by their number.
    private var words: [ArraySlice<UInt8>] = []

    init(_ name: String) {
        bytes = Array(name.utf8)
    }

    mutating func next() -> Character? {
        guard position < bytes.count else { return nil }
        position += 1
        return Character(UnicodeScalar(bytes[position - 1]))
    }

    /// Goes back to the letter before.
    mutating func back() { position -= 1 }

    mutating func skip(_ letter: Character) -> Bool {
        guard position < bytes.count, letter.asciiValue == bytes[position] else { return false }
        position += 1
        return true
    }

    /// Reads a number; nil if there is none.
    mutating func number() -> Int? {
        let digits = bytes[position...].prefix(while: \.isDigit)
        guard !digits.isEmpty, digits.count < 10 else { return nil }
        position = digits.endIndex
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// Reads an index: `_` is 0, `0_` is 1.
    mutating func index() -> Int? {
        if skip("_") { return 0 }
        guard let number = number(), skip("_") else { return nil }
        return number + 1
    }

    /// Reads an identifier: `6Mailer`. After a zero, letters stand for earlier words, a capital letter for the last one; after two zeros,
    /// the identifier is in Punycode.
    mutating func identifier() -> String? {
        var hasWords = skip("0")
        let isEncoded = hasWords && skip("0")
        if isEncoded { hasWords = false }
        var name: [UInt8] = []
        repeat {
            while hasWords, let letter = letter() {
                let isLast = letter < UInt8(ascii: "a")
                let index = Int(letter - UInt8(ascii: isLast ? "A" : "a"))
                guard words.indices.contains(index) else { return nil }
                name += words[index]
                hasWords = !isLast
            }
            if skip("0") { break }
            guard let count = number() else { return nil }
            if isEncoded { _ = skip("_") }
            guard count <= bytes.count - position else { return nil }
            let part = bytes[position..<position + count]
            addWords(of: part)
            name += part
            position += count
        } while hasWords
        return isEncoded ? decodedPunycode(name[...]) : String(decoding: name, as: UTF8.self)
    }

    private mutating func letter() -> UInt8? {
        guard position < bytes.count, bytes[position].isLetter else { return nil }
        position += 1
        return bytes[position - 1]
    }

    /// A word begins at a capital letter after a small one, and after a digit or an underscore at its beginning. It has two letters or more.
    private mutating func addWords(of part: ArraySlice<UInt8>) {
        var start: Int?
        func add(upTo end: Int) {
            if let begin = start, end - begin >= 2, words.count < 26 { words.append(part[begin..<end]) }
            start = nil
        }
        for index in part.indices {
            let letter = part[index]
            let isUnderscore = letter == UInt8(ascii: "_")
            if index > part.startIndex, isUnderscore || !part[index - 1].isCapital && letter.isCapital {
                add(upTo: index)
            }
            if start == nil, !isUnderscore, !letter.isDigit { start = index }
        }
        add(upTo: part.endIndex)
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    fileprivate var isCapital: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
    fileprivate var isLetter: Bool { isCapital || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
}

/// Decodes an identifier with other letters than those of ASCII: Punycode (RFC 3492) with the digits a–z and A–J. The compiler writes
/// signs of ASCII as letters from U+D800 on, and the space of a name in backticks as one that does not break.
private func decodedPunycode(_ input: ArraySlice<UInt8>) -> String? {
    var code = 128
    var insertion = 0
    var bias = 72
    var rest = input
    var output: [Int] = []
    if let delimiter = input.lastIndex(of: UInt8(ascii: "_")) {
        output = input[..<delimiter].map(Int.init)
        rest = input[input.index(after: delimiter)...]
    }
    while !rest.isEmpty {
        let before = insertion
        var weight = 1
        var step = 36
        while true {
            guard let letter = rest.popFirst(), letter.isLetter, weight < 1 << 40 else { return nil }
            let digit = Int(letter) - (letter.isCapital ? Int(UInt8(ascii: "A")) - 26 : Int(UInt8(ascii: "a")))
            insertion += digit * weight
            let threshold = min(max(step - bias, 1), 26)
            if digit < threshold { break }
            weight *= 36 - threshold
            step += 36
        }
        let count = output.count + 1
        var delta = (insertion - before) / (before == 0 ? 700 : 2)
        delta += delta / count
        bias = 0
        while delta > 455 {
            delta /= 35
            bias += 36
        }
        bias += 36 * delta / (delta + 38)
        code += insertion / count
        insertion %= count
        output.insert(code, at: insertion)
        insertion += 1
    }
    var text = ""
    for code in output {
        let isSign = (0xD800..<0xD880).contains(code)
        let isSpace = code == 0xA0
        guard let value = UInt32(exactly: isSign ? code - 0xD800 : isSpace ? 0x20 : code),
            let scalar = UnicodeScalar(value)
        else {
            return nil
        }
        text.unicodeScalars.append(scalar)
    }
    return text
}
