extension ServiceIdentity {
    /// The type without modules, enclosing types and a leading `any`.
    package var shortType: String {
        let short = withoutQualifiers(typeLabel(type))
        return short.hasPrefix("any ") ? String(short.dropFirst(4)) : short
    }
}

/// The types in a text without their modules and enclosing types: `(App.Store, Swift.Int)` becomes `(Store, Int)`.
package func withoutQualifiers(_ text: String) -> String {
    var short = ""
    var word = ""
    for character in text {
        if character == "." {
            // The scope of a private type is printed as a remark in brackets, and not as a name.
            if word.isEmpty, short.last == ")", let start = short.lastIndex(of: "(") { short.removeSubrange(start...) }
            word = ""
        } else if character.isLetter || character.isNumber || character == "_" {
            word.append(character)
        } else {
            short += word
            short.append(character)
            word = ""
        }
    }
    return short + word
}
