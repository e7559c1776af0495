/// The type, arguments and name of a service, for messages. It keeps the name alive.
///
/// Every creation with waiters needs one, and few are ever printed. So it holds only the words of the key, and the name.
package struct ServiceIdentity: Sendable, Hashable {
    /// The type as in `AnyServiceKey.type`.
    private let keyType: UInt
    package let name: DependencyName?

    /// Creates the identity for a key whose name is alive.
    init(_ key: AnyServiceKey) {
        keyType = key.type
        name = key.discriminator == 0 ? nil : DependencyName(discriminator: key.discriminator)
    }

    /// Creates the identity for a type without arguments.
    package init(_ type: any Any.Type, named name: DependencyName? = nil) {
        keyType = UInt(bitPattern: ObjectIdentifier(type))
        self.name = name
    }

    /// Creates the identity of a service without arguments.
    package init<Service>(of type: Service.Type, named name: DependencyName?) {
        keyType = UInt(bitPattern: ObjectIdentifier(type))
        self.name = name
    }

    /// The key that the service is registered under.
    var key: AnyServiceKey { AnyServiceKey(type: keyType, discriminator: name?.discriminator ?? 0) }

    // The first word of a key is the identity of a type, that is, the metatype. Metatypes are never freed.
    private var metatype: any Any.Type { unsafeBitCast(keyType, to: Any.Type.self) }

    private var signature: (any AnySignature.Type)? { metatype as? any AnySignature.Type }

    package var type: any Any.Type { signature?.service ?? metatype }

    /// Whether the library itself registers the service.
    package var isOfLibrary: Bool { type is any LibraryService.Type }

    /// The types of its arguments, in brackets; nil if it takes none.
    package var arguments: String? { signature?.argumentsText }
}

extension ServiceIdentity: CustomStringConvertible {
    /// The type in full, with its arguments and its name.
    package var description: String { serviceLabel(typeLabel(type), arguments, named: name?.text) }
}

/// A type with its arguments and its name, as messages, snapshots and charts show a service.
package func serviceLabel(_ type: String, _ arguments: String? = nil, named name: String?) -> String {
    type + (arguments ?? "") + (name.map { " named \"\($0)\"" } ?? "")
}

/// Access to the parts of a ``Signature`` whose type parameters are not known.
private protocol AnySignature {
    static var service: any Any.Type { get }
    static var argumentsText: String { get }
}

extension Signature: AnySignature {
    static var service: any Any.Type { Service.self }

    /// The arguments are a pair of the first one and a tuple of the others.
    static var argumentsText: String { argumentsLabel(ofPair: Arguments.self) }
}
