/// The parts of a registration that its instances depend on.
struct InstancesSetup<Arguments> {
    let lifetime: Lifetime
    /// The disposals of the instances that the registration owns; nil if there are no hooks.
    let disposals: Disposals?
    let hasHooks: Bool
    /// The index of the slots of child containers; nil if there is none, or if instances are not kept there.
    let scopeIndex: ScopeIndex?
    /// How the arguments are hashed and compared; nil if there are none, or if one is not `Hashable`.
    let hashable: (any KeyedArguments.Type)?

    /// Returns the owner of an instance that the registration keeps. Throws an error if the instance may end early, and would become a
    /// captive dependency of the service around this code.
    @inline(__always)
    func ownershipUnlessCaptive<Service>(_ key: ServiceKey<Service>) throws(DependencyError) -> Ownership {
        let ownership = lifetime.ownership
        if ownership == .expiring { try OwningService.checkForCaptivity(ofExpiring: key, lifetime) }
        return ownership
    }

    /// Makes an empty table of instances by the values of their arguments.
    ///
    /// - Parameters:
    ///   - isPermanent: Whether an instance stays as long as its entry.
    ///   - isIndexed: Whether instances are found without a lock.
    func makeEntries(isPermanent: Bool, isIndexed: Bool = false) -> KeyedEntries {
        // Registration refuses these lifetimes if an argument is not Hashable.
        guard let hashable else { preconditionFailure() }
        return KeyedEntries(
            hashable, isPermanent: isPermanent, limit: lifetime.limit, mayEndEarly: lifetime.policy.mayEndEarly,
            isIndexed: isIndexed)
    }

    /// Makes the place of an instance without a creation.
    ///
    /// - Parameter disposals: The disposals of the instance, for a storage that is cleared; nil if there are no hooks.
    func makeShared<Service>(_ disposals: Disposals?) -> SharedInstance<Service> {
        if lifetime.isPermanent { return SharedInstance(in: Cell.make(for: Service.self)) }
        let storage = lifetime.policy.makeStorage(for: Service.self)
        storage.disposals = disposals
        return SharedInstance(in: storage)
    }
}

/// The instances of one registration.
///
/// A class, so that factories need not know the kind of sharing. Only slow paths call it.
// Unchecked, because a service need not be Sendable. Sound, because the properties of subclasses are immutable or under a lock.
class Instances<Service, Arguments>: @unchecked Sendable {
    final let setup: InstancesSetup<Arguments>

    init(_ setup: InstancesSetup<Arguments>) {
        self.setup = setup
    }

    /// Returns the place where a resolve call finds or creates its instance. The caller has to leave the place.
    func place(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ resolution: Resolution
    ) throws(DependencyError) -> InstancePlace<Service> {
        preconditionFailure("each kind of sharing has its own")
    }

    /// Returns the instance that a resolve call would find; nil if it would create one, or if the factory takes arguments.
    func existing(for resolution: Resolution) -> Service? { nil }

    /// Returns whether a resolve call would find an instance. If the factory takes arguments: for any of them.
    func hasInstance(for resolution: Resolution) -> Bool { existing(for: resolution) != nil }

    /// The address of the only instance, which stays there until the registration ends; nil for other kinds of sharing.
    var permanentInstance: InstancePointer? { nil }

    /// Where lookups find instances by the values of their arguments; nil for other kinds of sharing.
    var keyedIndex: Pinned<KeyedIndex>? { nil }

    /// Stands for a scoped registration. Each container stores its own instance under the address of this object. Nil for other kinds of
    /// sharing.
    var scopedUnder: ScopedOrigin? { nil }

    /// The slot of each child container.
    var scopePlace: ScopePlace { .none }
}

/// The place where one resolve call finds or creates its instance.
struct InstancePlace<Service> {
    let shared: SharedInstance<Service>
    /// The container that the factory gets.
    let container: DependencyContainer
    let disposals: Disposals?
    let ownership: Ownership
    var graph: ObjectGraph?
    /// The use of a keyed entry, if instances are stored by their arguments, and unless the instance was found without a lock.
    var entry: KeyedEntries.Use?

    /// Whether the instance that a caller has got from a creation is there. A pending one may still fail.
    var hasInstance: Bool {
        guard let entry else { return true }
        // The storage of a custom lifetime may have dropped it again. Then a later check ends the entry, and not the caller.
        if entry.mayLoseInstance, !shared.cell.isBusy { return true }
        return shared.hasInstance
    }

    /// The container that the factory sees as `shared`: the one that owns the service. Nil if the caller owns it, so that `shared` stays
    /// the caller's.
    var sharedContainer: DependencyContainer? { ownership == .caller ? nil : container }

    /// Records the disposal of the instance that was stored last.
    ///
    /// - Returns: That of the instance before; nil if there is none.
    func exchangeLastDisposal(with disposal: Disposal) -> Disposal? {
        if let entry { return entry.exchangeLastDisposal(with: disposal) }
        guard let storage = shared.storage else { return nil }
        return exchange(&storage.lastDisposal, with: disposal)
    }

    /// Ends the use of the place. `hasInstance` says whether the caller has got its instance.
    ///
    /// Instances that this removes are disposed of: at the end of a creation if one is given, and otherwise before the return.
    func leave(hasInstance: Bool, before creation: Creation? = nil) {
        guard let removed = entry?.leave(hasInstance: hasInstance), !removed.isEmpty else { return }
        if let creation { return creation.runLater { for entry in removed { entry.end() } } }
        for entry in removed { entry.end() }
    }
}
