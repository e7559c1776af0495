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
/// 5. If the table has a limit, each caller that leaves removes the entries that were used least recently, until there are no more
///    instances than the limit. It skips entries with users, also its own: their users do the same when they leave. So a table without
///    users has at most as many instances as its limit, and no call removes the instance that it is about to return.
/// 6. An entry is removed only while it has no user, and never comes back. So nobody stores another instance in it, and the caller that
///    has removed it disposes of the last one: outside the lock, and after the creation that the caller is the end of.
///
/// Races:
///
/// - A. Two callers with equal arguments find no entry, and each makes one. The first adds its entry. The second finds under the
///   lock that the bucket has changed, compares again, and enters the entry of the first (invariant 2).
/// - B. A caller has found an entry by comparison, and then the last user leaves, which removes the entry. Before the caller becomes
///   a user, it checks under the lock whether the entry is still in the table. It is not, so the caller starts again.
/// - C. A check finds an entry without an instance, and meanwhile a caller creates one in it. The check is a user like any other,
///   and the caller leaves with an instance. So the entry stays (invariant 3), whoever leaves last.
/// - D. An entry over the limit is removed while its registration is removed or its container is shut down. Both want to run the
///   disposal hooks. The one that takes the disposal out of the list of the container runs them (Disposal.swift).
final class KeyedEntries: Sendable {
    // Unchecked, because it has variables. Sound, because they are used only under the lock.
    class Entry: @unchecked Sendable {
        // Immutable. The contract of such a registration is that they may be hashed and compared on any thread.
        fileprivate final let arguments: [AnyHashable]
        fileprivate final let hash: Int
        /// The number of callers that are about to read the instance, or that create it, and of checks.
        final var users = 1
        /// Whether a user has left with an instance since the last check. If so, the entry stays in the table, unless it is over the limit.
        fileprivate final var isKept = false
        /// The number of instances that were added to the table before this one. Only if the table has a limit.
        final var number: UInt32 = 0
        /// The number of instances that were added to the table before the last use of this one. Only if the table has a limit.
        final var lastUse: UInt32 = 0
        /// The index in the list of entries to check.
        fileprivate final var index = 0

        fileprivate init(_ arguments: [AnyHashable], hash: Int) {
            self.arguments = arguments
            self.hash = hash
        }

        /// Whether there is an instance. May run user code.
        fileprivate var hasInstance: Bool { preconditionFailure("each entry is of a service") }

        /// Disposes of the last instance of the entry. Called once, after the entry was removed.
        func end() {}
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

        /// Ends this use (invariants 3 and 5).
        ///
        /// - Returns: The entries that this has removed, which the caller has to end.
        func leave(hasInstance: Bool) -> [Entry] { entries.leave(entry, hasInstance: hasInstance) }
    }

    fileprivate struct Table {
        /// The entries by the hash values of their arguments.
        var buckets: [Int: [Entry]] = [:]
        /// The same entries in no order, to be checked in turn. Empty if instances cannot be lost.
        var list: [Entry] = []
        /// The index in the list above the next entry to check.
        var next = 0
        /// The entries with instances, by their last use. Empty if the table has no limit.
        var lastUses = LastUses()
        /// The number of instances that were ever added, which is the time for `lastUses`. Zero if the table has no limit.
        var now: UInt32 = 0
    }

    /// The number of older entries that are checked when one is added (invariant 4).
    private static let checksPerAddition = 2

    private let table = Locked(Table())
    private let losesInstances: Bool
    /// The number of instances above which the table removes some; nil if there is no limit.
    private let limit: Int?

    /// Makes an empty table.
    ///
    /// - Parameters:
    ///   - losesInstances: Whether an instance can be lost while the table exists.
    ///   - limit: The number of instances above which those that were used least recently are removed.
    init(losesInstances: Bool, limit: Int? = nil) {
        self.losesInstances = losesInstances
        self.limit = limit
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
        guard let candidate else { return }
        for entry in leave(candidate, hasInstance: candidate.hasInstance) { entry.end() }
    }

    private func leave(_ entry: Entry, hasInstance: Bool) -> [Entry] {
        table.withLock { table -> [Entry] in
            var removed: [Entry] = []
            if hasInstance {
                if limit != nil { table.noteUse(of: entry) }
                entry.isKept = true
            }
            // While this user counts, so that its instance stays.
            while let limit, table.lastUses.count > limit, let oldest = table.lastUses.removeOldest(at: table.now) {
                table.remove(oldest, fromList: losesInstances)
                removed.append(oldest)
            }
            entry.users -= 1
            if entry.users == 0, !entry.isKept {
                table.remove(entry, fromList: losesInstances)
                removed.append(entry)
            }
            return removed
        }
    }
}

extension KeyedEntries.Table {
    /// Removes an entry from its bucket and, if it is there, from the list.
    fileprivate mutating func remove(_ entry: KeyedEntries.Entry, fromList isInList: Bool) {
        let rest = (buckets[entry.hash] ?? []).filter { $0 !== entry }
        buckets[entry.hash] = rest.isEmpty ? nil : rest
        guard isInList else { return }
        let last = list.removeLast()
        if last !== entry {
            list[entry.index] = last
            last.index = entry.index
        }
    }

    /// Records that a user has left an entry with its instance, in a table with a limit.
    fileprivate mutating func noteUse(of entry: KeyedEntries.Entry) {
        entry.lastUse = now
        guard !entry.isKept else { return }
        entry.number = now
        lastUses.add(entry, at: now)
        // Uses after the addition come after that of the new instance.
        now &+= 1
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

    override func end() {
        // Nobody uses a removed entry, so nobody runs the steps from `prepare` to `store` (invariant 6).
        let storage = shared.storage
        if let last = storage.lastDisposal, storage.disposals?.forget(last) ?? false { last.run() }
    }
}
