/// The instance of the container that holds the registration. It ends with the registration. Child containers store their own
/// instances themselves.
// Unchecked for the same reason as the base class.
final class ContainerInstances<Service, Arguments>: Instances<Service, Arguments>, @unchecked Sendable {
    private let ownersInstance: SharedInstance<Service>
    private let place: ScopePlace

    override init(_ setup: InstancesSetup<Arguments>) {
        ownersInstance = SharedInstance(setup.makeStorage(for: Service.self))
        ownersInstance.storage.disposals = setup.disposals
        place = setup.scopeIndex.map(ScopePlace.init) ?? .none
        super.init(setup)
    }

    override func place(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ resolution: Resolution
    ) throws(DependencyError) -> InstancePlace<Service> {
        try OwningService.checkForCaptivity(key, resolution)
        let container = resolution.container
        if container === resolution.owner {
            return InstancePlace(
                shared: ownersInstance, container: container, disposals: setup.disposals, ownership: .container)
        }
        if container.registry.hasScopeSlot(place) {
            let slot = container.registry.scopeSlot(place) { .make(for: Service.self) }
            return InstancePlace(
                shared: SharedInstance(ScopeSlotStorage(slot), slot), container: container, disposals: nil,
                ownership: .container)
        }
        let ownersFlight = ownersInstance.singleFlight
        // A registration has one type of service, so everything under the address of its single flight is of this type.
        let scoped = container.registry.scoped(AnyServiceKey(scopedUnder: ownersFlight)) {
            ScopedInstance(
                under: ownersFlight, SharedInstance(setup.makeStorage(for: Service.self)),
                isPermanent: setup.lifetime.isPermanent, hasHooks: setup.hasHooks)
        }
        return InstancePlace(
            shared: scoped.shared, container: container, disposals: scoped.disposals, ownership: .container)
    }

    override func instance(for resolution: Resolution) -> Service? {
        if resolution.container === resolution.owner { return ownersInstance.storage.load() }
        let registry = resolution.container.registry
        if let slot = registry.scopeSlot(place) { return slot.pointer(to: Service.self)?.pointee }
        let found = registry.newest(AnyServiceKey(scopedUnder: ownersInstance.singleFlight))
        return (found as? ScopedInstance<Service>)?.shared.storage.load()
    }

    override func hasInstance(for resolution: Resolution) -> Bool {
        // Without `instance(for:)`: in code that is not specialised, an optional of the service costs more than all the rest.
        if resolution.isFromParent, resolution.registry.hasScopeSlot(place) {
            return resolution.registry.scopeSlot(place)?.filledWords != nil
        }
        return super.hasInstance(for: resolution)
    }

    deinit { ownersInstance.singleFlight.noteEndOfOwner() }

    override var scopedUnder: SingleFlight? { ownersInstance.singleFlight }

    override var scopePlace: ScopePlace { place }
}

/// A container's own instance of a scoped service that a parent has registered, if it is not in a ``ScopeSlot``.
///
/// It is stored in the container's registry, next to the registrations. Its key is the address of the single flight of the owner's
/// instance. It retains that single flight, so no other one can have this address (invariant J1 in Design.md). It does not retain
/// the factory: the factory retains the owner's instance, which has to go when the registration is removed.
// Unchecked, because a service need not be Sendable. All properties are immutable.
final class ScopedInstance<Service>: AnyServiceRegistration, @unchecked Sendable {
    let shared: SharedInstance<Service>
    /// The address of the instance; nil if only the storage can find it.
    let pointer: InstancePointer?
    let ownersFlight: SingleFlight

    /// Makes a scoped instance without a creation.
    ///
    /// Only an instance that stays where it was first stored can be read by its address. The policy of a custom lifetime can replace
    /// it at any time, also in a plain storage.
    init(under ownersFlight: SingleFlight, _ shared: SharedInstance<Service>, isPermanent: Bool, hasHooks: Bool) {
        self.shared = shared
        pointer = isPermanent ? InstancePointer(shared.storage.cell) : nil
        self.ownersFlight = ownersFlight
        super.init(
            AnyServiceKey(scopedUnder: ownersFlight), name: nil, callSite: nil, disposals: hasHooks ? Disposals() : nil)
        shared.storage.disposals = disposals
    }

    /// An instance with a hook stays to the end of the container, which runs the hook.
    override var isLeftBehind: Bool { disposals == nil && ownersFlight.hasOwnerEnded }
}

extension Registry {
    /// Returns the container's own instance of a scoped service that is in the table; nil if it is not there.
    @inline(__always)
    func scopedInstance<Service>(_ key: AnyServiceKey, _ type: Service.Type) -> Service? {
        // A key of a scoped instance belongs to one factory, whose services have one type.
        read(key, as: ScopedInstance<Service>.self) { $0.pointer?.load(as: type)?.pointee }
    }
}

extension AnyServiceKey {
    /// The key of a container's own instance of a scoped service: the address of the single flight that creates the owner's
    /// instance.
    init(scopedUnder ownersFlight: SingleFlight) {
        self.init(entryUnder: ObjectIdentifier(ownersFlight))
    }
}
