/// A service with its name and its arguments, as messages speak of it.
///
/// Noted for every creation that others may wait for, and hardly ever spoken of: so it is only the two words of a key, and what
/// keeps the name alive.
struct Subject: Sendable, Equatable {
    /// As `ServiceKey.type`.
    let keyType: UInt
    let name: DependencyName?

    /// Of the words of a `ServiceKey`, whose name must be alive.
    init(type keyType: UInt, discriminator: UInt) {
        self.keyType = keyType
        name = discriminator == 0 ? nil : DependencyName(identity: discriminator)
    }

    /// As in `ServiceKey`.
    var discriminator: UInt { name?.identity ?? 0 }

    // The first word of a key is the identity of a type, that is, the metatype. Metatypes live for ever.
    private var metatype: any Any.Type { unsafeBitCast(keyType, to: Any.Type.self) }

    private var signature: (any AnySignature.Type)? { metatype as? any AnySignature.Type }

    var type: any Any.Type { signature?.service ?? metatype }

    /// The types of its arguments, in brackets; nil where it takes none.
    var arguments: String? { signature?.argumentsText }
}

extension Subject: CustomStringConvertible {
    /// The type in full, and what else it takes to ask for it.
    var description: String {
        var text = String(reflecting: type)
        if let arguments { text += arguments }
        if let name { text += " named \"\(name)\"" }
        return text
    }
}

/// Lets the parts of a ``Signature`` be found where its parameters are not known.
private protocol AnySignature {
    static var service: any Any.Type { get }
    static var argumentsText: String { get }
}

extension Signature: AnySignature {
    static var service: any Any.Type { Service.self }

    /// The arguments are a pair: the first one, and a tuple of the others.
    static var argumentsText: String {
        argumentsDescription(of: String(reflecting: Arguments.self))
    }
}
