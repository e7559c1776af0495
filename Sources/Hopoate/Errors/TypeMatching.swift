// Whether the instances of one type can be used as another type, for messages. Only types are compared: no instance is touched.

/// Whether each instance of a type can be used as another type, which it conforms to or inherits from; nil if that is unknown.
func canBeUsed(_ type: any Any.Type, as wanted: any Any.Type) -> Bool? {
    // Everything can be used as `Any`, so nobody learns anything from it.
    if wanted == Any.self { return false }
    if isSubclass(type, of: wanted) { return true }
    // A protocol does not conform to another one. The other conformances of its instances are unknown.
    guard isExistential(wanted), !isExistential(type) else { return false }
    guard let metatype = existentialMetatype(of: wanted) else { return nil }
    return isInstance(type, of: metatype)
}

/// Whether a type is that of a protocol, `any P` or `any P<Argument>`.
func isExistential(_ type: any Any.Type) -> Bool {
    // The kinds of metadata for protocols without and with arguments (include/swift/ABI/MetadataKind.def in the compiler's sources).
    let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
    return [0x303, 0x307].contains(metadata.load(as: UInt.self))
}

private func isSubclass(_ type: any Any.Type, of wanted: any Any.Type) -> Bool {
    func check<Wanted>(_ wanted: Wanted.Type) -> Bool { type is Wanted.Type }
    return check(wanted)
}

private func isInstance(_ type: any Any.Type, of metatype: any Any.Type) -> Bool {
    func check<Metatype>(_ metatype: Metatype.Type) -> Bool { type is Metatype }
    return check(metatype)
}

/// The type `any P.Type` of `any P`: the types that conform are its instances. Generic code cannot spell it, but its mangled
/// name, which the ABI fixes, is that of `any P` with a suffix. Nil if the runtime does not find it, as for private protocols.
private func existentialMetatype(of type: any Any.Type) -> (any Any.Type)? {
    guard #available(macOS 11, iOS 14, tvOS 14, watchOS 7, *) else { return nil }
    return _mangledTypeName(type).flatMap { _typeByName($0 + "Xp") }
}

/// A type as an expression in code.
func metatypeExpression(_ service: any Any.Type) -> String {
    let name = withoutContexts(String(reflecting: service))
    if name.hasPrefix("any ") { return "(\(name)).self" }
    return isExistential(service) && service != Any.self ? "(any \(name)).self" : "\(name).self"
}

/// A name without the contexts of private types, `(unknown context at $7f00).`, which nobody can type.
private func withoutContexts(_ name: String) -> String {
    var name = Substring(name)
    var parts = ""
    while let start = range(of: "(unknown context", in: name),
        let end = range(of: ").", in: name[start.upperBound...])
    {
        parts += name[..<start.lowerBound]
        name = name[end.upperBound...]
    }
    return parts + name
}

/// The first occurrence of a word.
func range(of word: String, in text: Substring) -> Range<Substring.Index>? {
    // The standard library's own search is not in the oldest systems.
    var rest = text
    while !rest.hasPrefix(word) {
        if rest.isEmpty { return nil }
        rest.removeFirst()
    }
    return rest.startIndex..<rest.index(rest.startIndex, offsetBy: word.count)
}
