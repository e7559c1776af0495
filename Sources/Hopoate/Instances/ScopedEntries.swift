/// The instances of a scoped registration with arguments: one per value and container.
///
/// Those of the container that holds the registration end with the registration. Child containers store their own instances
/// themselves.
// Unchecked for the same reason as the base class.
final class KeyedContainerInstances<Service, Arguments>: Instances<Service, Arguments>, @unchecked Sendable {
    private let ownersEntries: KeyedEntries
    private let origin = ScopedEntries.Origin()

    override init(_ setup: InstancesSetup<Arguments>) {
        ownersEntries = setup.makeEntries(isPermanent: setup.lifetime.isPermanent)
        super.init(setup)
    }

    deinit { origin.noteEnd() }

    override func place(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ resolution: Resolution
    ) throws(DependencyError) -> InstancePlace<Service> {
        try OwningService.checkForCaptivity(key, resolution)
        let container = resolution.container
        if container === resolution.owner {
            return try place(
                key, arguments, in: ownersEntries, for: container, disposals: setup.disposals, ownership: .container)
        }
        // Only this class adds anything under the address of an `Origin`.
        let scoped = container.registry.scoped(AnyServiceKey(scopedUnder: origin)) {
            ScopedEntries(
                under: origin, setup.makeEntries(isPermanent: setup.lifetime.isPermanent), hasHooks: setup.hasHooks)
        }
        return try place(
            key, arguments, in: scoped.entries, for: container, disposals: scoped.disposals, ownership: .container)
    }

    override func hasInstance(for resolution: Resolution) -> Bool {
        if resolution.container === resolution.owner { return ownersEntries.hasInstances }
        let found = resolution.container.registry.newest(AnyServiceKey(scopedUnder: origin))
        return (found as? ScopedEntries)?.entries.hasInstances ?? false
    }
}

/// A container's own instances of a scoped service with arguments, which a parent has registered.
///
/// It is stored in the container's registry, like a ``ScopedInstance``. Its key is the address of the origin of the owner's
/// instances. It retains that origin, so no other object can have this address (invariant J1 in Design.md). It does not retain
/// the owner's instances, which have to go when the registration is removed.
// Unchecked for the same reason as the base class. All properties are immutable.
final class ScopedEntries: AnyServiceRegistration, @unchecked Sendable {
    /// Stands for the instances of one registration: by its address, and after they have ended.
    final class Origin: Sendable {
        private let ends = SharedCounter()

        /// Whether the instances of the registration have ended.
        var hasEnded: Bool { ends.value != 0 }

        func noteEnd() { ends.increment() }
    }

    let entries: KeyedEntries
    private let origin: Origin

    init(under origin: Origin, _ entries: KeyedEntries, hasHooks: Bool) {
        self.entries = entries
        self.origin = origin
        super.init(
            AnyServiceKey(scopedUnder: origin), name: nil, callSite: nil, disposals: hasHooks ? Disposals() : nil)
    }

    /// Instances with hooks stay to the end of the container, which runs the hooks.
    override var isLeftBehind: Bool { disposals == nil && origin.hasEnded }
}

extension AnyServiceKey {
    /// The key of a container's own instances of a scoped service with arguments.
    init(scopedUnder origin: ScopedEntries.Origin) {
        self.init(entryUnder: ObjectIdentifier(origin))
    }
}
