/// What identifies a service: the identity of its type, not its name, so two types with the same spelling never meet.
@frozen
@usableFromInline
struct ServiceKey<Service> {
    @inlinable
    init() {}

    /// The identity of the type, as a word. Never zero.
    @inlinable
    var type: UInt { UInt(bitPattern: ObjectIdentifier(Service.self)) }

    /// What tells the registrations of one type apart: nothing, as yet.
    @inlinable
    var discriminator: UInt { 0 }
}
