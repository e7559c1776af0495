/// What a container keeps of a registration, its own or a parent's, that has an instance in each container.
///
/// It is in the container's registry beside the registrations, under the address of the gate that the recipe has for the
/// instance of the container above. It keeps that gate alive, so that no other recipe comes to have this address. It does not
/// keep the recipe: that has the instance of the container above, which is to go when its registration is removed.
@usableFromInline
// Unchecked, because a service need not be Sendable. Immutable.
final class ScopedSlot<Service>: AnyServiceRegistration, @unchecked Sendable {
    @usableFromInline
    let slot: Slot<Service>
    /// Where the instance is; nil where only the storage can tell.
    @usableFromInline
    let room: OnceRoom?
    @usableFromInline
    let keptGate: Gate

    /// A slot in which an instance is about to be made by nothing but a creator.
    @inlinable
    init(under keptGate: Gate, leavingFrom gate: Gate) {
        let storage = InstanceStorage<Service>()
        slot = Slot(storage, gate)
        room = OnceRoom(storage.cell)
        self.keptGate = keptGate
        super.init(
            type: ScopedSlotKey(keptGate).type, discriminator: ScopedSlotKey.discriminator, name: nil, callSite: nil,
            disposals: nil)
    }

    init(under keptGate: Gate, _ slot: Slot<Service>, hasHooks: Bool) {
        self.slot = slot
        room = Swift.type(of: slot.storage) == InstanceStorage<Service>.self ? OnceRoom(slot.storage.cell) : nil
        self.keptGate = keptGate
        super.init(
            type: ScopedSlotKey(keptGate).type, discriminator: ScopedSlotKey.discriminator, name: nil, callSite: nil,
            disposals: hasHooks ? Disposals() : nil)
        slot.storage.disposals = disposals
    }
}

/// Under what a container keeps a scoped slot.
@frozen
@usableFromInline
struct ScopedSlotKey {
    /// No name has this identity, which is not an address.
    @inlinable
    static var discriminator: UInt { 1 }

    @usableFromInline
    let type: UInt

    @inlinable
    init(_ gate: Gate) {
        type = UInt(bitPattern: ObjectIdentifier(gate))
    }
}

extension DependencyContainer {
    /// The slot that this container has under the address of a recipe's gate; the closure makes it if there is none.
    func scoped<Service>(under gate: Gate, make: () -> ScopedSlot<Service>) -> ScopedSlot<Service> {
        let key = ScopedSlotKey(gate)
        let found = registry.scopedSlot(key) ?? registry.addScopedSlot(key, make())
        // A recipe makes one type of service.
        return unsafeDowncast(found, to: ScopedSlot<Service>.self)
    }

    /// The slot that this container has under the address of a recipe's gate; nil if there is none.
    func scopedIfAny<Service>(under gate: Gate, _ type: Service.Type) -> ScopedSlot<Service>? {
        registry.scopedSlot(ScopedSlotKey(gate)) as? ScopedSlot<Service>
    }
}
