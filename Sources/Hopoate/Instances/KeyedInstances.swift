/// One instance for each value of the arguments. See ``Lifetime/keyed``.
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

// Unchecked as the base class.
private final class KeyedInstances<Service, Arguments>: Instances<Service, Arguments>, @unchecked Sendable {
    private let entries = KeyedEntries()

    override func place(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ resolution: Resolution
    ) throws(DependencyError) -> InstancePlace<Service> {
        // Registration refuses this lifetime for arguments that are not Hashable.
        guard let hashable = setup.hashable else { preconditionFailure() }
        let makeShared = { Box(SharedInstance(self.setup.makeStorage(for: Service.self))) }
        guard let entry = entries.enter(hashable(arguments), make: makeShared) else {
            throw DependencyError(incomparableArgumentsOf: key.identity)
        }
        // The entries of this table are all of this service.
        let shared = unsafeDowncast(entry.shared, to: Box<SharedInstance<Service>>.self).value
        return InstancePlace(
            shared: shared, container: resolution.owner, disposals: setup.disposals, ownership: .registration,
            entry: KeyedEntries.Use(of: entry, in: entries))
    }

    override func hasInstance(in container: DependencyContainer) -> Bool { entries.hasInstances }
}

/// The instances of a service by their arguments.
///
/// Hashing and comparing arguments runs user code, so it is done outside the lock: under it, entries are only looked up by their hash
/// value, and added and removed by their identity. An entry whose creation failed is removed when its last user leaves: so failed
/// creations leave nothing behind, and two callers at once meet in one entry.
final class KeyedEntries: Sendable {
    // Unchecked, because of the variables, which are used under the lock only.
    final class Entry: @unchecked Sendable {
        // Immutable values, which are agreed to be Hashable on any thread.
        fileprivate let arguments: [AnyHashable]
        fileprivate let hash: Int
        /// A `Box` of a `SharedInstance`.
        let shared: AnyObject
        /// How many callers are about to read the instance, or create it.
        fileprivate var users = 1
        /// Whether it has had an instance; then it stays.
        fileprivate var isPermanent = false

        fileprivate init(_ arguments: [AnyHashable], hash: Int, shared: AnyObject) {
            self.arguments = arguments
            self.hash = hash
            self.shared = shared
        }
    }

    /// The use of an entry by one caller.
    struct Use: Sendable {
        private let entry: Entry
        private let entries: KeyedEntries

        init(of entry: Entry, in entries: KeyedEntries) {
            self.entry = entry
            self.entries = entries
        }

        /// Enters once more, for a creation that goes on without the caller.
        func hold() { entries.entries.withLock { _ in entry.users += 1 } }

        func leave(hasInstance: Bool) { entries.leave(entry, hasInstance: hasInstance) }
    }

    private let entries = Locked<[Int: [Entry]]>([:])

    /// Whether there is an instance for any value.
    var hasInstances: Bool { entries.withLock { $0.values.contains { $0.contains(where: \.isPermanent) } } }

    /// The entry of a value; nil for a value that is not equal to itself, such as NaN: nobody could ever find its instance again.
    func enter(_ arguments: [AnyHashable], make: () -> AnyObject) -> Entry? {
        let hash = arguments.hashValue
        var new: Entry?
        while true {
            let seen = entries.withLock { $0[hash] ?? [] }
            if let entry = seen.first(where: { $0.arguments == arguments }) {
                let isThere = entries.withLock { entries in
                    // It may have been removed meanwhile.
                    guard entries[hash]?.contains(where: { $0 === entry }) ?? false else { return false }
                    entry.users += 1
                    return true
                }
                if isThere { return entry }
            } else {
                // One by one: the comparison of arrays takes one array to be equal to itself.
                guard arguments.allSatisfy({ $0 == $0 }) else { return nil }
                let entry = new ?? Entry(arguments, hash: hash, shared: make())
                new = entry
                let isAdded = entries.withLock { entries in
                    let current = entries[hash] ?? []
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
