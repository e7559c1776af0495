/// A service with its name and its arguments, as messages speak of it.
struct Subject: Sendable, Equatable {
    let type: any Any.Type
    /// The types of its arguments, in brackets; nil where it takes none.
    let arguments: String?
    let name: DependencyName?

    /// Of the words of a `ServiceKey`, whose name must be alive.
    init(type word: UInt, discriminator: UInt) {
        // The first word of a key is the identity of a type, that is, the metatype.
        let type = unsafeBitCast(word, to: Any.Type.self)
        let signature = type as? any AnySignature.Type
        self.type = signature?.service ?? type
        arguments = signature?.argumentsText
        name = discriminator == 0 ? nil : DependencyName(identity: discriminator)
    }

    static func == (left: Subject, right: Subject) -> Bool {
        left.type == right.type && left.arguments == right.arguments && left.name == right.name
    }
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
