/// The shared instances of one service, by the values of its arguments.
///
/// Each kind of sharing decides how far a table reaches: for a registration, for a container, or for an object graph.
///
/// Hashing and comparing arguments run user code. So callers compare a copy of a bucket, outside the lock, and then check under
/// the lock that the bucket has not changed.
///
/// Invariants:
///
/// 1. No user code runs under the lock. There, entries are found by their hash value, and compared by their identity only.
/// 2. No two entries of the table have equal arguments, so concurrent callers with equal arguments meet in one entry.
/// 3. An entry is removed when its last user leaves, if no user has left with an instance since the last check. So failed
///    creations leave nothing behind.
/// 4. If instances can be lost (a weak one dies, a scope is reset), each added entry causes a check of two older ones. An entry
///    without an instance is removed. So a table has at most about twice as many entries as it had instances at the last checks,
///    whatever arguments callers choose.
///
/// Races:
///
/// - A. Two callers with equal arguments find no entry, and each makes one. The first adds its entry. The second finds under the
///   lock that the bucket has changed, compares again, and enters the entry of the first (invariant 2).
/// - B. A caller has found an entry by comparison, and then the last user leaves, which removes the entry. Before the caller becomes
///   a user, it checks under the lock whether the entry is still in the table. It is not, so the caller starts again.
/// - C. A check finds an entry without an instance, and meanwhile a caller creates one in it. The check is a user like any other,
///   and the caller leaves with an instance. So the entry stays (invariant 3), whoever leaves last.
final class KeyedEntries: Sendable {
    // Unchecked, because it has variables. Sound, because they are used only under the lock.
    class Entry: @unchecked Sendable {
        // Immutable. The contract of such a registration is that they may be hashed and compared on any thread.
        fileprivate final let arguments: [AnyHashable]
        fileprivate final let hash: Int
        /// The number of callers that are about to read the instance, or that create it, and of checks.
        fileprivate final var users = 1
        /// Whether a user has left with an instance since the last check. If so, the entry stays in the table.
        fileprivate final var isKept = false
        /// The index in the list of entries to check.
        fileprivate final var index = 0

        fileprivate init(_ arguments: [AnyHashable], hash: Int) {
            self.arguments = arguments
            self.hash = hash
        }

        /// Whether there is an instance. May run user code.
        fileprivate var hasInstance: Bool { preconditionFailure("each entry is of a service") }

        /// Disposes of an instance that the storage has dropped by itself. Called once, after the entry was removed.
        fileprivate func end() {}
    }

    /// One caller's use of an entry.
    struct Use: Sendable {
        private let entry: Entry
        private let entries: KeyedEntries

        init(of entry: Entry, in entries: KeyedEntries) {
            self.entry = entry
            self.entries = entries
        }

        /// Whether the entry can lose its instance (invariant 4).
        var mayLoseInstance: Bool { entries.losesInstances }

        /// Adds a use, for a creation that may outlive the caller.
        func hold() { entries.table.withLock { _ in entry.users += 1 } }

        /// Ends this use (invariant 3).
        func leave(hasInstance: Bool) { entries.leave(entry, hasInstance: hasInstance) }
    }

    private struct Table {
        /// The entries by the hash values of their arguments.
        var buckets: [Int: [Entry]] = [:]
        /// The same entries in no order, to be checked in turn. Empty if instances cannot be lost.
        var list: [Entry] = []
        /// The index in the list above the next entry to check.
        var next = 0
    }

    /// The number of older entries that are checked when one is added (invariant 4).
    private static let checksPerAddition = 2

    private let table = Locked(Table())
    private let losesInstances: Bool

    /// Makes an empty table.
    ///
    /// - Parameter losesInstances: Whether an instance can be lost while the table exists.
    init(losesInstances: Bool) {
        self.losesInstances = losesInstances
    }

    /// Whether there is an instance for any arguments. May run user code.
    var hasInstances: Bool {
        let entries = table.withLock { Array($0.buckets.values.joined()) }
        return entries.contains { $0.hasInstance }
    }

    /// Returns the entry for some arguments, and makes the caller a user of it. All calls are for one type of service.
    ///
    /// - Returns: The entry; nil if an argument does not equal itself, as NaN: its instance could never be found again.
    func enter<Service>(
        _ arguments: [AnyHashable], make: () -> SharedInstance<Service>
    ) -> KeyedEntry<Service>? {
        let hash = arguments.hashValue
        var new: KeyedEntry<Service>?
        while true {
            let seen = table.withLock { $0.buckets[hash] ?? [] }
            if let entry = seen.first(where: { $0.arguments == arguments }) {
                let isThere = table.withLock { table in
                    // It may have been removed since the comparison (race B).
                    guard table.buckets[hash]?.contains(where: { $0 === entry }) ?? false else { return false }
                    entry.users += 1
                    return true
                }
                // All entries of this table are of this service.
                if isThere { return unsafeDowncast(entry, to: KeyedEntry<Service>.self) }
            } else {
                // Argument by argument, because an array compares equal to itself without a comparison of its elements.
                guard arguments.allSatisfy({ $0 == $0 }) else { return nil }
                let entry = new ?? KeyedEntry(arguments, hash: hash, make())
                new = entry
                if add(entry, after: seen) { return entry }
            }
        }
    }

    /// Adds an entry, if the bucket is still the same. Then it checks some older entries.
    ///
    /// - Returns: Whether it was added.
    private func add(_ entry: Entry, after seen: [Entry]) -> Bool {
        let isAdded = table.withLock { table in
            let current = table.buckets[entry.hash] ?? []
            // Another caller may have added an equal entry since the comparison (race A).
            guard current.elementsEqual(seen, by: ===) else { return false }
            table.buckets[entry.hash] = current + [entry]
            if losesInstances {
                entry.index = table.list.count
                table.list.append(entry)
            }
            return true
        }
        if isAdded, losesInstances {
            for _ in 0..<Self.checksPerAddition { checkNext() }
        }
        return isAdded
    }

    /// Checks the next entry, unless it has a user. Removes it if it has lost its instance (invariant 4).
    private func checkNext() {
        let candidate = table.withLock { table -> Entry? in
            if table.next == 0 || table.next > table.list.count { table.next = table.list.count }
            guard table.next > 0 else { return nil }
            table.next -= 1
            let entry = table.list[table.next]
            guard entry.users == 0 else { return nil }
            entry.users = 1
            entry.isKept = false
            return entry
        }
        if let candidate { leave(candidate, hasInstance: candidate.hasInstance) }
    }

    private func leave(_ entry: Entry, hasInstance: Bool) {
        let removed = table.withLock { table -> Entry? in
            entry.users -= 1
            if hasInstance { entry.isKept = true }
            guard entry.users == 0, !entry.isKept else { return nil }
            let rest = (table.buckets[entry.hash] ?? []).filter { $0 !== entry }
            table.buckets[entry.hash] = rest.isEmpty ? nil : rest
            if losesInstances {
                let last = table.list.removeLast()
                if last !== entry {
                    table.list[entry.index] = last
                    last.index = entry.index
                }
            }
            return entry
        }
        removed?.end()
    }
}

/// The entry of one service and one value of its arguments.
// Unchecked for the same reason as the base class. The property is immutable.
final class KeyedEntry<Service>: KeyedEntries.Entry, @unchecked Sendable {
    let shared: SharedInstance<Service>

    fileprivate init(_ arguments: [AnyHashable], hash: Int, _ shared: SharedInstance<Service>) {
        self.shared = shared
        super.init(arguments, hash: hash)
    }

    override fileprivate var hasInstance: Bool { shared.storage.load() != nil }

    override fileprivate func end() {
        // Nobody uses a removed entry, so nobody runs the steps from `prepare` to `store`.
        let storage = shared.storage
        if let last = storage.lastDisposal, storage.disposals?.forget(last) ?? false { last.run() }
    }
}
