// Whether the instances of one type can be used as another type, for messages. Only types are compared: no instance is touched.

/// Whether each instance of a type can be used as another type, which it conforms to or inherits from; nil if that is unknown.
func canBeUsed(_ type: any Any.Type, as wanted: any Any.Type) -> Bool? {
    // Everything can be used as `Any`, so nobody learns anything from it.
    if wanted == Any.self { return false }
    if isSubclass(type, of: wanted) { return true }
    // A protocol does not conform to another one. The other conformances of its instances are unknown.
    guard isExistential(wanted), !isExistential(type) else { return false }
    if kind(of: wanted) == .protocolsWithArguments { return conforms(type, to: wanted) }
    guard let metatype = existentialMetatype(of: wanted) else { return nil }
    return isInstance(type, of: metatype)
}

/// Whether a type conforms to `any P<Argument>`; nil if that is unknown.
///
/// The run time finds no type `any P<Argument>.Type` by name. So each protocol is compared by itself, and then its associated types. Those
/// of private types are unknown.
private func conforms(_ type: any Any.Type, to wanted: any Any.Type) -> Bool? {
    guard #available(macOS 11, iOS 14, tvOS 14, watchOS 7, *), let name = _mangledTypeName(type),
        case .existential(let existential)? = TypeTree(of: wanted)
    else { return nil }
    for proto in existential.protocols {
        guard let metatype = proto.mangledName.flatMap({ _typeByName($0 + "_pXp") }) else { return nil }
        if !isInstance(type, of: metatype) { return false }
    }
    if let superclass = existential.superclass {
        guard let superclass = superclass.mangledName.flatMap({ _typeByName($0) }) else { return nil }
        if !isSubclass(type, of: superclass) { return false }
    }
    if existential.isForObjects, !(type is AnyObject.Type) { return false }
    for requirement in existential.requirements {
        // `Qx` is the operator for an associated type of a type.
        guard let proto = requirement.proto.mangledName, let associated = mangledIdentifier(requirement.name),
            let found = _typeByName(name + associated + proto + "Qx").flatMap({ TypeTree(of: $0) })
        else { return nil }
        if found != requirement.type { return false }
    }
    return true
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
