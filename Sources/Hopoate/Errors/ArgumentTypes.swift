// The types of arguments, as text for messages.

/// The types of arguments as a list in parentheses.
///
/// - Parameter pair: The name of a pair: the first type, and the other type or a tuple of the others.
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

/// The position of the first comma outside of brackets.
private func firstComma(in text: Substring) -> Substring.Index? {
    var depth = 0
    for (index, change) in bracketing(of: text) {
        depth += change
        if depth == 0, text[index] == "," { return index }
    }
    return nil
}

/// Whether the last bracket closes the first one.
private func closesAtTheEnd(_ text: Substring) -> Bool {
    var depth = 0
    for (index, change) in bracketing(of: text) {
        depth += change
        if depth == 0 { return text.index(after: index) == text.endIndex }
    }
    return false
}

/// The letters, each with its change of the bracket depth. The bracket of an arrow does not count.
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
