/// Identifies a service: by the identity of its type, not by its name, so two types with the same spelling never meet; by its own
/// name, if it has one; and by the types of the arguments, if its factory takes some.
@frozen
@usableFromInline
struct ServiceKey<Service: ~Copyable> {
    /// The same key without the type parameter.
    @usableFromInline
    let erased: AnyServiceKey

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
    /// The key that a registration is under.
    init(of registration: ServiceRegistration<Service>) {
        erased = registration.key
    }

    /// What messages say of the service. The name must be alive.
    var identity: ServiceIdentity { ServiceIdentity(erased) }
}

/// The type that identifies a service whose factory takes arguments. It has no values.
@frozen
@usableFromInline
enum Signature<Service, Arguments> {}

/// The two words under which a registry keeps a service, whatever its type: what `ServiceKey` is without its type parameter.
///
/// It keeps nothing alive. Whoever turns a key into text needs a ``ServiceIdentity``, which keeps the name alive.
@frozen
@usableFromInline
struct AnyServiceKey: Hashable, Sendable {
    /// The identity of the service's type or, if its factory takes arguments, of ``Signature``. Types have even addresses, and
    /// none is zero.
    @usableFromInline
    let type: UInt

    /// The address of the name's entry; zero for a service without a name.
    @usableFromInline
    let discriminator: UInt

    @inlinable
    @inline(__always)
    init(type: UInt, discriminator: UInt) {
        self.type = type
        self.discriminator = discriminator
    }
}

extension AnyServiceKey {
    /// The key under which a container keeps its own instance of a scoped service: the address of the single flight that the
    /// service's factory has for the instance of the owner. No name has the discriminator 1, which is not an address.
    @inlinable
    init(scopedUnder ownersFlight: SingleFlight) {
        self.init(type: UInt(bitPattern: ObjectIdentifier(ownersFlight)), discriminator: 1)
    }

    /// Whether this is such a key, so that there is no registration under it.
    var isScoped: Bool { discriminator == 1 }
}
