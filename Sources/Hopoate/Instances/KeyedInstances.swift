/// One instance per value of the arguments. See ``Lifetime/keyed``.
enum SharedByArguments: SharingKind {
    static var ownership: Creation.Ownership { .registration }
    static var arguments: ArgumentRule { .hashable }
    static var look: DependencyGraph.Look { .init(name: "arguments", shape: "folder", fill: "#f7efb2") }

    static func instances<Service, Arguments>(
        _ setup: InstancesSetup<Arguments>, of service: Service.Type
    ) -> Instances<Service, Arguments>? {
        KeyedInstances(setup)
    }
}

// Unchecked for the same reason as the base class.
private final class KeyedInstances<Service, Arguments>: Instances<Service, Arguments>, @unchecked Sendable {
    private let entries = KeyedEntries()

    override func place(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ resolution: Resolution
    ) throws(DependencyError) -> InstancePlace<Service> {
        // Registration refuses this lifetime if an argument is not Hashable.
        guard let hashable = setup.hashable else { preconditionFailure() }
        let makeShared = { Box(SharedInstance(self.setup.makeStorage(for: Service.self))) }
        guard let entry = entries.enter(hashable(arguments), make: makeShared) else {
            throw DependencyError(incomparableArgumentsOf: key.identity)
        }
        // All entries of this table are of this service.
        let shared = unsafeDowncast(entry.shared, to: Box<SharedInstance<Service>>.self).value
        return InstancePlace(
            shared: shared, container: resolution.owner, disposals: setup.disposals, ownership: .registration,
            entry: KeyedEntries.Use(of: entry, in: entries))
    }

    override func hasInstance(in container: DependencyContainer) -> Bool { entries.hasInstances }
}

/// The shared instances of one registration, by the values of their arguments.
///
/// Hashing and comparing arguments run user code. So callers compare a copy of a bucket, outside the lock, and then check under
/// the lock that the bucket has not changed.
///
/// Invariants:
///
/// 1. No user code runs under the lock. There, entries are found by their hash value, and compared by their identity only.
/// 2. No two entries of the table have equal arguments, so concurrent callers with equal arguments meet in one entry.
/// 3. An entry is removed when its last user leaves and none has got an instance. So failed creations leave nothing behind.
///
/// Races:
///
/// - A. Two callers with equal arguments find no entry, and each makes one. The first adds its entry. The second finds under the
///   lock that the bucket has changed, compares again, and enters the entry of the first (invariant 2).
/// - B. A caller has found an entry by comparison, and then the last user leaves, which removes the entry. Before the caller becomes
///   a user, it checks under the lock whether the entry is still in the table. It is not, so the caller starts again.
final class KeyedEntries: Sendable {
    // Unchecked, because it has variables. Sound, because they are used only under the lock.
    final class Entry: @unchecked Sendable {
        // Immutable. The contract of a keyed registration is that they may be hashed and compared on any thread.
        fileprivate let arguments: [AnyHashable]
        fileprivate let hash: Int
        /// A `Box` of a `SharedInstance`.
        let shared: AnyObject
        /// The number of callers that are about to read the instance, or that create it.
        fileprivate var users = 1
        /// Whether it has had an instance. If so, it stays in the table.
        fileprivate var isPermanent = false

        fileprivate init(_ arguments: [AnyHashable], hash: Int, shared: AnyObject) {
            self.arguments = arguments
            self.hash = hash
            self.shared = shared
        }
    }

    /// One caller's use of an entry.
    struct Use: Sendable {
        private let entry: Entry
        private let entries: KeyedEntries

        init(of entry: Entry, in entries: KeyedEntries) {
            self.entry = entry
            self.entries = entries
        }

        /// Adds a use, for a creation that may outlive the caller.
        func hold() { entries.entries.withLock { _ in entry.users += 1 } }

        /// Ends this use (invariant 3).
        func leave(hasInstance: Bool) { entries.leave(entry, hasInstance: hasInstance) }
    }

    private let entries = Locked<[Int: [Entry]]>([:])

    /// Whether there is an instance for any arguments.
    var hasInstances: Bool { entries.withLock { $0.values.contains { $0.contains(where: \.isPermanent) } } }

    /// Returns the entry for some arguments, and makes the caller a user of it.
    ///
    /// - Returns: The entry; nil if an argument does not equal itself, as NaN: its instance could never be found again.
    func enter(_ arguments: [AnyHashable], make: () -> AnyObject) -> Entry? {
        let hash = arguments.hashValue
        var new: Entry?
        while true {
            let seen = entries.withLock { $0[hash] ?? [] }
            if let entry = seen.first(where: { $0.arguments == arguments }) {
                let isThere = entries.withLock { entries in
                    // It may have been removed since the comparison (race B).
                    guard entries[hash]?.contains(where: { $0 === entry }) ?? false else { return false }
                    entry.users += 1
                    return true
                }
                if isThere { return entry }
            } else {
                // Argument by argument, because an array compares equal to itself without a comparison of its elements.
                guard arguments.allSatisfy({ $0 == $0 }) else { return nil }
                let entry = new ?? Entry(arguments, hash: hash, shared: make())
                new = entry
                let isAdded = entries.withLock { entries in
                    let current = entries[hash] ?? []
                    // Another caller may have added an equal entry since the comparison (race A).
                    guard current.elementsEqual(seen, by: ===) else { return false }
                    entries[hash] = current + [entry]
                    return true
                }
                if isAdded { return entry }
            }
        }
    }

    private func leave(_ entry: Entry, hasInstance: Bool) {
        let removed = entries.withLock { entries -> Entry? in
            entry.users -= 1
            if hasInstance { entry.isPermanent = true }
            guard entry.users == 0, !entry.isPermanent else { return nil }
            let rest = (entries[entry.hash] ?? []).filter { $0 !== entry }
            entries[entry.hash] = rest.isEmpty ? nil : rest
            return entry
        }
        withExtendedLifetime(removed) {}
    }
}
