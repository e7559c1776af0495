/// What identifies a service: the identity of its type, not its name, so two types with the same spelling never meet; and,
/// where it was given, its own name; and, where its creator takes arguments, their types.
@frozen
@usableFromInline
struct ServiceKey<Service: ~Copyable> {
    /// The identity of the service's type or, where there are arguments, of ``Signature``. Never zero.
    @usableFromInline
    let type: UInt

    /// The identity of the name; zero where there is none.
    @usableFromInline
    let discriminator: UInt

    @inlinable
    @inline(__always)
    init(named name: DependencyName? = nil) {
        type = UInt(bitPattern: ObjectIdentifier(Service.self))
        discriminator = name?.identity ?? 0
    }
}

extension ServiceKey {
    @inlinable
    @inline(__always)
    init<Arguments>(arguments: Arguments.Type, named name: DependencyName?) {
        type = UInt(bitPattern: ObjectIdentifier(Signature<Service, Arguments>.self))
        discriminator = name?.identity ?? 0
    }
}

extension ServiceKey where Service: ~Copyable {
    /// The key that a registration is under.
    init(of registration: ServiceRegistration<Service>) {
        type = registration.type
        discriminator = registration.discriminator
    }
}

/// A service whose creator takes arguments: a type that nothing is made of, for its identity.
@frozen
@usableFromInline
enum Signature<Service, Arguments> {}

extension ServiceKey where Service: ~Copyable {
    /// What it identifies, for messages. The name must be alive.
    var subject: Subject { Subject(type: type, discriminator: discriminator) }
}
