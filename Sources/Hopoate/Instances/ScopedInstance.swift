/// The instance of the container that holds the registration. It ends with the registration. Child containers store their own
/// instances themselves.
// Unchecked for the same reason as the base class.
final class ContainerInstances<Service, Arguments>: Instances<Service, Arguments>, @unchecked Sendable {
    private let ownersInstance: SharedInstance<Service>
    private let origin = ScopedOrigin()
    private let place: ScopePlace

    override init(_ setup: InstancesSetup<Arguments>) {
        ownersInstance = setup.makeShared(setup.disposals)
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
            let cell = container.registry.scopeSlot(place) { .make(for: Service.self) }
            return InstancePlace(
                shared: SharedInstance(in: cell), container: container, disposals: nil, ownership: .container)
        }
        // A registration has one type of service, so everything under the address of its origin is of this type.
        let scoped: ScopedInstance<Service> = container.registry.scoped(AnyServiceKey(scopedUnder: origin)) {
            let disposals = setup.hasHooks ? Disposals() : nil
            return ScopedInstance(under: origin, setup.makeShared(disposals), disposals)
        }
        return InstancePlace(
            shared: scoped.shared, container: container, disposals: scoped.disposals, ownership: .container)
    }

    override func existing(for resolution: Resolution) -> Service? {
        if resolution.container === resolution.owner { return ownersInstance.load() }
        let registry = resolution.container.registry
        if let cell = registry.scopeSlot(place) { return cell.publishedInstance(as: Service.self) }
        let found = registry.newest(AnyServiceKey(scopedUnder: origin))
        return (found as? ScopedInstance<Service>)?.shared.load()
    }

    override func hasInstance(for resolution: Resolution) -> Bool {
        // Without `existing(for:)`: in code that is not specialised, an optional of the service costs more than all the rest.
        if resolution.isFromParent, resolution.registry.hasScopeSlot(place) {
            return resolution.registry.scopeSlot(place)?.filledMemory != nil
        }
        return super.hasInstance(for: resolution)
    }

    deinit { origin.noteEnd() }

    override var scopedUnder: ScopedOrigin? { origin }

    override var scopePlace: ScopePlace { place }
}

/// A container's part of a scoped registration of a parent, in the table of the container: its own instance, or its own instances by
/// the values of their arguments.
///
/// It is stored in the container's registry, next to the registrations. Its key is the address of the origin of the owner's instances. It
/// retains that origin, so no other object can have this address (invariant J1 in Design.md). It does not retain the factory: the factory
/// retains the owner's instances, which have to go when the registration is removed.
// Unchecked for the same reason as the base class. The property is immutable.
class ScopedPart: AnyServiceRegistration, @unchecked Sendable {
    private final let origin: ScopedOrigin

    init(under origin: ScopedOrigin, _ disposals: Disposals?) {
        self.origin = origin
        super.init(AnyServiceKey(scopedUnder: origin), name: nil, callSite: nil, disposals: disposals)
    }

    /// Instances with hooks stay to the end of the container, which runs the hooks.
    override final var isLeftBehind: Bool { disposals == nil && origin.hasEnded }
}

/// A container's own instance of a scoped service that a parent has registered, if it is not in a slot.
// Unchecked, because a service need not be Sendable. All properties are immutable.
final class ScopedInstance<Service>: ScopedPart, @unchecked Sendable {
    let shared: SharedInstance<Service>
    /// The address of the instance; nil if only the storage can find it.
    let pointer: InstancePointer?

    /// Makes a scoped instance without a creation.
    init(under origin: ScopedOrigin, _ shared: SharedInstance<Service>, _ disposals: Disposals?) {
        self.shared = shared
        pointer = shared.pointer
        super.init(under: origin, disposals)
    }
}

extension Registry {
    /// Returns the container's own instance of a scoped service that is in the table; nil if it is not there.
    @inline(__always)
    func scopedInstance<Service>(_ key: AnyServiceKey, _ type: Service.Type) -> Service? {
        // One factory has this key, and it creates services of one type.
        read(key, as: ScopedInstance<Service>.self) { $0.pointer?.load(as: type)?.pointee }
    }
}

extension AnyServiceKey {
    /// The key of a container's part of a scoped registration.
    init(scopedUnder origin: ScopedOrigin) {
        self.init(entryUnder: ObjectIdentifier(origin))
    }
}
