/// What a container keeps of a registration, its own or a parent's, that has an instance in each container.
///
/// It is in the container's registry beside the registrations, under the identity of the recipe; which it keeps alive, so that
/// no other recipe comes to have that identity.
@usableFromInline
// Unchecked, because a service need not be Sendable. Immutable.
final class ScopedSlot<Service>: AnyServiceRegistration, @unchecked Sendable {
    @usableFromInline
    let slot: Slot<Service>
    /// Where the instance is; nil where only the storage can tell.
    @usableFromInline
    let room: OnceRoom?
    @usableFromInline
    let keptRecipe: AnyRecipe

    /// A slot in which an instance is about to be made by nothing but a creator.
    @inlinable
    init(_ recipe: AnyRecipe, leavingFrom gate: Gate) {
        let storage = InstanceStorage<Service>()
        slot = Slot(storage, gate)
        room = OnceRoom(storage.cell)
        keptRecipe = recipe
        super.init(
            type: ScopedSlotKey(recipe).type, discriminator: ScopedSlotKey.discriminator, name: nil, callSite: nil,
            disposals: nil)
    }

    init(_ recipe: AnyRecipe, _ slot: Slot<Service>, hasHooks: Bool) {
        self.slot = slot
        room = Swift.type(of: slot.storage) == InstanceStorage<Service>.self ? OnceRoom(slot.storage.cell) : nil
        keptRecipe = recipe
        super.init(
            type: ScopedSlotKey(recipe).type, discriminator: ScopedSlotKey.discriminator, name: nil, callSite: nil,
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
    init(_ recipe: AnyRecipe) {
        type = UInt(bitPattern: ObjectIdentifier(recipe))
    }
}

extension DependencyContainer {
    /// What this container keeps of a recipe; made where there is nothing yet.
    func scoped<Service>(by recipe: AnyRecipe, make: () -> ScopedSlot<Service>) -> ScopedSlot<Service> {
        let key = ScopedSlotKey(recipe)
        let found = registry.scopedSlot(key) ?? registry.addScopedSlot(key, make())
        // A recipe makes one type of service.
        return unsafeDowncast(found, to: ScopedSlot<Service>.self)
    }

    /// What this container keeps of a recipe of a type of service, where it does.
    func scopedIfAny<Service>(by recipe: AnyRecipe, _ type: Service.Type) -> ScopedSlot<Service>? {
        registry.scopedSlot(ScopedSlotKey(recipe)) as? ScopedSlot<Service>
    }
}
