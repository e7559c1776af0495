/// The instances of a scoped registration with arguments: one per value and container.
///
/// Those of the container that holds the registration end with the registration. Child containers store their own instances
/// themselves.
// Unchecked for the same reason as the base class.
final class KeyedContainerInstances<Service, Arguments>: Instances<Service, Arguments>, @unchecked Sendable {
    private let ownersEntries: KeyedEntries
    private let origin = ScopedOrigin()

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
        // Only this class adds anything under the address of its origin.
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

/// A container's own instances of a scoped service with arguments that a parent has registered.
// Unchecked for the same reason as the base class. The property is immutable.
final class ScopedEntries: ScopedPart, @unchecked Sendable {
    let entries: KeyedEntries

    init(under origin: ScopedOrigin, _ entries: KeyedEntries, hasHooks: Bool) {
        self.entries = entries
        super.init(under: origin, hasHooks ? Disposals() : nil)
    }
}
