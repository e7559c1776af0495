// The kind of sharing decides who stores the instances of a registration: the registration itself, each container (`.scoped`), or each
// object graph (`.graph`).
//
// Each of them stores one instance or, if the factory takes arguments, a table with one instance per argument value. A child container
// stores its instances of a parent's registration in a slot (ScopeSlot.swift) or in its own table (ScopedInstances.swift). The registration
// stores the instances of the container that holds it, so these end with the registration.

/// The instances of one registration that the registration, a container or an object graph stores.
enum StoredInstances<Service>: Sendable {
    case one(SharedInstance<Service>)
    /// One per value of the arguments.
    case byArguments(KeyedEntries)

    /// Whether there is an instance, for any arguments. May run user code.
    var hasInstance: Bool {
        switch self {
        case .one(let shared): shared.hasInstance
        case .byArguments(let entries): entries.hasInstances
        }
    }

    /// The address of the only instance, which stays there as long as its place; nil if only the storage or the table can find it.
    var pointer: InstancePointer? { if case .one(let shared) = self { shared.pointer } else { nil } }
}

/// The instances of one registration. Only slow paths use it.
// Unchecked, because a service need not be Sendable. All properties are immutable.
final class Instances<Service, Arguments>: @unchecked Sendable {
    private let lifetime: Lifetime
    private let kind: SharingKind
    /// The disposals of the instances that the registration owns; nil if there are no hooks.
    private let disposals: Disposals?
    private let hasHooks: Bool
    /// How the arguments are hashed and compared; nil if there are none, or if one is not `Hashable`.
    private let hashable: (any KeyedArguments.Type)?
    /// The instances that end with the registration; nil if object graphs store them.
    private let own: StoredInstances<Service>?
    /// The address of this object is the key under which containers store their own instances. Nil unless the service is scoped.
    private let origin: ScopedOrigin?
    /// The index of the slots. Its end lets another registration use them, so it is held until the registration ends.
    private let scopeIndex: ScopeIndex?
    /// The slot of each child container.
    let scopePlace: ScopePlace

    /// - Parameters:
    ///   - disposals: The disposals of the instances that the registration owns; nil if there are no hooks.
    ///   - scopeIndex: The index of the slots of child containers; nil if there is none, or if instances are not stored there.
    ///   - hashable: How the arguments are hashed and compared; nil if there are none, or if one is not `Hashable`.
    init(
        _ lifetime: Lifetime, _ kind: SharingKind, disposals: Disposals?, hasHooks: Bool, scopeIndex: ScopeIndex?,
        hashable: (any KeyedArguments.Type)?
    ) {
        self.lifetime = lifetime
        self.kind = kind
        self.disposals = disposals
        self.hasHooks = hasHooks
        self.hashable = hashable
        own = kind == .graph ? nil : .make(lifetime, hashable, disposals, isIndexed: kind.ownership == .registration)
        origin = kind == .container ? ScopedOrigin() : nil
        self.scopeIndex = scopeIndex
        scopePlace = scopeIndex.map(ScopePlace.init) ?? .none
    }

    deinit { origin?.noteEnd() }

    /// The address of the only instance, which stays there until the registration ends; nil for other kinds of sharing.
    var permanentInstance: InstancePointer? { kind.ownership == .registration ? own?.pointer : nil }

    /// Where lookups find instances by the values of their arguments; nil for other kinds of sharing.
    var keyedIndex: Pinned<KeyedIndex>? { if case .byArguments(let entries)? = own { entries.index } else { nil } }

    /// The key under which each container stores its own instance; nil for other kinds of sharing, and if the factory takes arguments.
    var scopedKey: AnyServiceKey? { hashable == nil ? origin.map(AnyServiceKey.init(scopedUnder:)) : nil }

    // MARK: - Finding the place of an instance

    /// Returns the place where a resolve call finds or creates its instance. The caller has to leave the place.
    ///
    /// Throws an error if the instance would become a captive dependency of the service around this code.
    func place(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ resolution: Resolution
    ) throws(DependencyError) -> InstancePlace<Service> {
        switch kind {
        case .container:
            try OwningService.checkForCaptivity(key, resolution)
            let (stored, disposals) = stored(in: resolution.container, heldBy: resolution.owner)
            return try place(key, arguments, in: stored, for: resolution.container, disposals, .container)
        case .graph:
            let graph = ObjectGraph.currentOrNew
            let stored = graph.object(of: self, in: resolution.container) {
                Box(StoredInstances<Service>.make(lifetime, hashable, nil))
            }.value
            return try place(key, arguments, in: stored, for: resolution.container, nil, .caller, graph)
        default:
            let ownership = lifetime.ownership
            if ownership == .expiring { try OwningService.checkForCaptivity(ofExpiring: key, lifetime) }
            // `own` is nil for graphs only.
            return try place(key, arguments, in: own!, for: resolution.owner, disposals, ownership)
        }
    }

    /// Returns a container's own instances of a scoped service, with their disposals.
    private func stored(
        in container: DependencyContainer, heldBy owner: DependencyContainer
    ) -> (StoredInstances<Service>, Disposals?) {
        // A scoped registration has an origin, and instances of its own.
        guard container !== owner, let origin else { return (own!, disposals) }
        if container.registry.hasScopeSlot(scopePlace) {
            return (
                .one(SharedInstance(in: container.registry.scopeSlot(scopePlace) { .make(for: Service.self) })), nil
            )
        }
        // A registration has one type of service, so everything under the address of its origin is of this type.
        let scoped: ScopedInstances<Service> = container.registry.scoped(AnyServiceKey(scopedUnder: origin)) {
            let disposals = hasHooks ? Disposals() : nil
            return ScopedInstances(under: origin, .make(lifetime, hashable, disposals), disposals)
        }
        return (scoped.stored, scoped.disposals)
    }

    private func place(
        _ key: ServiceKey<Service>, _ arguments: Arguments, in stored: StoredInstances<Service>,
        for container: DependencyContainer, _ disposals: Disposals?, _ ownership: Ownership, _ graph: ObjectGraph? = nil
    ) throws(DependencyError) -> InstancePlace<Service> {
        switch stored {
        case .one(let shared):
            return InstancePlace(
                shared: shared, container: container, disposals: disposals, ownership: ownership, graph: graph)
        case .byArguments(let entries):
            let found = withPointer(to: arguments) { pointer in
                entries.enter(pointer) { hash in
                    KeyedInstance(arguments, hash: hash, SharedInstance<Service>.make(lifetime, disposals), disposals)
                }
            }
            guard let (entry, isUsed) = found else { throw DependencyError(incomparableArgumentsOf: key.identity) }
            guard let shared = (entry as? KeyedInstance<Service, Arguments>)?.shared else {
                preconditionFailure("all entries of a table are of one service")
            }
            return InstancePlace(
                shared: shared, container: container, disposals: disposals, ownership: ownership, graph: graph,
                entry: isUsed ? KeyedEntries.Use(of: entry, in: entries) : nil)
        }
    }

    // MARK: - Looking for an instance

    /// Returns the instance that a resolve call would find; nil if it would create one, or if the factory takes arguments.
    func existing(for resolution: Resolution) -> Service? {
        guard case .one(let shared)? = stored(for: resolution) else { return nil }
        return shared.load()
    }

    /// Returns whether a resolve call would find an instance. If the factory takes arguments: for any of them.
    func hasInstance(for resolution: Resolution) -> Bool {
        if resolution.isFromParent, resolution.registry.hasScopeSlot(scopePlace) {
            return resolution.registry.scopeSlot(scopePlace)?.filledMemory != nil
        }
        return stored(for: resolution)?.hasInstance ?? false
    }

    /// Returns the stored instances among which a resolve call would find its own; nil if a container has not stored any yet.
    private func stored(for resolution: Resolution) -> StoredInstances<Service>? {
        guard let origin, resolution.container !== resolution.owner else { return own }
        let registry = resolution.container.registry
        if let cell = registry.scopeSlot(scopePlace) { return .one(SharedInstance(in: cell)) }
        return (registry.newest(AnyServiceKey(scopedUnder: origin)) as? ScopedInstances<Service>)?.stored
    }
}

// MARK: - Making a place

extension StoredInstances {
    /// Makes a place without instances.
    ///
    /// - Parameters:
    ///   - disposals: The disposals of the instances, for a storage that is cleared; nil if there are no hooks.
    ///   - isIndexed: Whether instances are found by their arguments without a lock.
    static func make(
        _ lifetime: Lifetime, _ hashable: (any KeyedArguments.Type)?, _ disposals: Disposals?, isIndexed: Bool = false
    ) -> Self {
        guard let hashable else { return .one(.make(lifetime, disposals)) }
        return .byArguments(
            KeyedEntries(
                hashable, isPermanent: lifetime.isPermanent, limit: lifetime.limit,
                mayEndEarly: lifetime.policy.mayEndEarly, isIndexed: isIndexed))
    }
}

extension SharedInstance {
    /// Makes the place of one instance, without a creation.
    static func make(_ lifetime: Lifetime, _ disposals: Disposals?) -> Self {
        if lifetime.isPermanent { return SharedInstance(in: Cell.make(for: Service.self)) }
        let storage = lifetime.policy.makeStorage(for: Service.self)
        if let disposals { _ = storage.disposals.fill(disposals) }
        return SharedInstance(in: storage)
    }
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
