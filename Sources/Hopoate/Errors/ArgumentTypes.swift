// The types of arguments, as messages write them.

/// How arguments are written, given the name of a pair: of the first type, and of a tuple of the others, or the other one.
func argumentsDescription(of pair: String) -> String {
    // "(Swift.Int, (Swift.String, Swift.Bool))", "(Swift.Int, Swift.String)" or "(Swift.Int, ())".
    let inside = pair.dropFirst().dropLast()
    guard let comma = firstComma(in: inside) else { return pair }
    let first = inside[..<comma]
    var rest = inside[comma...].dropFirst(2)
    if rest == "()" { return "(\(first))" }
    if rest.hasPrefix("("), closesAtTheEnd(rest) {
        rest = rest.dropFirst().dropLast()
    }
    return "(\(first), \(rest))"
}

/// Where the first comma is that is not in brackets.
private func firstComma(in text: Substring) -> Substring.Index? {
    var depth = 0
    for (index, change) in bracketing(of: text) {
        depth += change
        if depth == 0, text[index] == "," { return index }
    }
    return nil
}

/// Whether the bracket at the beginning is closed by the one at the end.
private func closesAtTheEnd(_ text: Substring) -> Bool {
    var depth = 0
    for (index, change) in bracketing(of: text) {
        depth += change
        if depth == 0 { return text.index(after: index) == text.endIndex }
    }
    return false
}

/// The letters, and by how much each goes deeper into brackets. That of an arrow is none.
private func bracketing(of text: Substring) -> [(index: Substring.Index, change: Int)] {
    var before: Character = " "
    return text.indices.map { index in
        let letter = text[index]
        defer { before = letter }
        switch letter {
        case "(", "<", "[": return (index, 1)
        case ")", "]": return (index, -1)
        case ">": return (index, before == "-" ? 0 : -1)
        default: return (index, 0)
        }
    }
}
