/// The key of a service: its type, its name if it has one, and the types of its arguments if the factory takes some.
///
/// Types are compared by their identity, not by their spelling. So two types of the same spelling are different services.
@frozen
@usableFromInline
struct ServiceKey<Service: ~Copyable> {
    /// The same key without the type parameter.
    @usableFromInline
    let erased: AnyServiceKey

    init(_ erased: AnyServiceKey) {
        self.erased = erased
    }

    @inlinable
    @inline(__always)
    init(named name: DependencyName? = nil) {
        erased = AnyServiceKey(
            type: UInt(bitPattern: ObjectIdentifier(Service.self)), discriminator: name?.discriminator ?? 0)
    }
}

extension ServiceKey {
    @inlinable
    @inline(__always)
    init<Arguments>(arguments: Arguments.Type, named name: DependencyName?) {
        erased = AnyServiceKey(
            type: UInt(bitPattern: ObjectIdentifier(Signature<Service, Arguments>.self)),
            discriminator: name?.discriminator ?? 0)
    }
}

extension ServiceKey where Service: ~Copyable {
    /// The identity of the service, for messages. The name must be alive.
    var identity: ServiceIdentity { ServiceIdentity(erased) }
}

/// Identifies a service whose factory takes arguments. It has no values.
@frozen
@usableFromInline
enum Signature<Service, Arguments> {}

/// A `ServiceKey` without its type parameter: the two words by which a registry finds a service.
///
/// The type is the identity of the service's type or, if its factory takes arguments, of ``Signature``. The addresses of types are even.
/// The discriminator is the address of the name's entry; zero for a service without a name.
///
/// It keeps nothing alive. To turn a key into text, make a ``ServiceIdentity``, which keeps the name alive.
@usableFromInline
typealias AnyServiceKey = RegistryKey

extension AnyServiceKey {
    /// The key of something that a container stores for itself: a scoped instance, or a default. No object has the address of a type.
    ///
    /// No name has the discriminator 1, since that is not an address.
    init(entryUnder identity: ObjectIdentifier) {
        self.init(type: UInt(bitPattern: identity), discriminator: 1)
    }

    /// The key of the layer for the next children of a container that allows commits. It is not the address of a type.
    static var layer: AnyServiceKey { AnyServiceKey(type: 1, discriminator: 0) }

    /// The key under which a layer notes that it decides about this one, instead of its container. It is not the address of a type.
    var shadowMark: AnyServiceKey { AnyServiceKey(type: type | 1, discriminator: discriminator) }

    /// Whether this is the key of a scoped instance or of a default; then no registration has it.
    var isScoped: Bool { discriminator == 1 && type & 1 == 0 }

    /// Whether registrations can have this key.
    var isOfRegistrations: Bool { discriminator != 1 && type & 1 == 0 }
}

/// A type of which the library itself registers instances: a value of `DependencyValues`, or a health check. Messages and strict validation
/// leave them out.
package protocol LibraryService {}
