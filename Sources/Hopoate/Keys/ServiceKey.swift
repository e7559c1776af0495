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
