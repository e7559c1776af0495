/// The shared instances of one service, by the values of its arguments.
///
/// Each kind of sharing decides how far a table reaches: for a registration, for a container, or for an object graph.
///
/// Hashing and comparing arguments run user code. So callers compare a copy of a bucket, outside the lock, and then check under
/// the lock that the bucket has not changed.
///
/// The table of a registration also has an index, a registry of its own, in which lookups find entries without the lock:
///
///     registration -> index -> registry: hash value -> head -> arguments, instance
///
/// A lookup hashes the arguments. Then, in one read section, it finds the registration, its index and the head under the hash
/// value, and copies the instance and the arguments that the head refers to. After the section it compares the arguments (`copyExisting` in
/// Registry+Keyed.swift). The index is a cache of the table: a lookup that does not find its instance there takes the lock.
///
/// Who writes what:
///
///   the table, `users` and other variables of entries   under the lock
///   `isRemoved`, in the head                            under the lock, once; read by lookups
///   `lastUse`, in the head                              by users and lookups; any of two writes may win
///   the index                                           a user of an entry adds it; the caller that removes it from the table does so here
///
/// Invariants:
///
/// 1. No user code runs under the lock or in a read section. There, entries are found by their hash value, and compared by their identity
///    only.
/// 2. No two entries of the table have equal arguments, so concurrent callers with equal arguments meet in one entry.
/// 3. An entry is removed when its last user leaves, if no user has left with an instance since the last check. So failed
///    creations leave nothing behind.
/// 4. If instances can be lost (a weak one dies, a scope is reset), each added entry causes a check of two older ones. An entry
///    without an instance is removed. So a table has at most about twice as many entries as it had instances at the last checks,
///    whatever arguments callers choose.
/// 5. If the table has a limit, each caller that leaves removes the entries that were used least recently, until there are no more
///    instances than the limit. It skips entries with users, also its own: their users do the same when they leave. So a table without
///    users has at most as many instances as its limit, and no call removes the instance that it is about to return. Each instance counts,
///    but only entries without users have a place in the order of removal, and get it when their last user leaves. So the work of a call is
///    amortised O(log n), also while thousands of entries have users (`LastUses`).
/// 6. An entry is removed only while it has no user, and never comes back. So nobody stores another instance in it, and the caller that
///    has removed it disposes of the last one: outside the lock, and after the creation that the caller is the end of.
/// 7. An entry is added to the index only by a user, and removed from it only after it was removed from the table. So no entry is added
///    after its removal, and the index keeps no entry alive that the table has dropped.
/// 8. A lookup uses only entries that are not marked as removed. The mark is set in the same critical section that removes the entry.
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
/// - E. An entry is removed from the table, and its value gets another one, before it is removed from the index. A lookup finds the old
///   entry in the index. It is marked (invariant 8), so the lookup takes the lock and finds the new one. A lookup that has read the mark
///   before it was set came before the removal, and may return the old instance.
/// - F. A registration is removed while a lookup reads its index. The registration, its factory, the table and the index are released
///   after the read section of the lookup, which has found the registration in that section.
/// - G. While a lookup compares, its entry is removed and released. It has its own copy of the arguments.
final class KeyedEntries: Sendable {
    /// One caller's use of an entry.
    struct Use: Sendable {
        private let entry: KeyedEntry
        private let entries: KeyedEntries

        init(of entry: KeyedEntry, in entries: KeyedEntries) {
            self.entry = entry
            self.entries = entries
        }

        /// Whether the entry can lose its instance (invariant 4).
        var mayLoseInstance: Bool { entries.losesInstances }

        /// Adds a use, for a creation that may outlive the caller.
        func hold() { entries.table.withLock { _ in entry.users += 1 } }

        /// Records the disposal of the instance that was stored last. Called by the creation in flight.
        ///
        /// - Returns: That of the instance before; nil if there is none.
        func exchangeLastDisposal(with disposal: Disposal) -> Disposal? {
            exchange(&entry.lastDisposal, with: disposal)
        }

        /// Ends this use (invariants 3 and 5).
        ///
        /// - Returns: The entries that this has removed, which the caller has to end.
        func leave(hasInstance: Bool) -> [KeyedEntry] { entries.leave(entry, hasInstance: hasInstance) }
    }

    fileprivate struct Table {
        /// The entries by the hash values of their arguments.
        var buckets: [Int: [KeyedEntry]] = [:]
        /// The same entries in no order, to be checked in turn. Empty if instances cannot be lost.
        var list: [KeyedEntry] = []
        /// The index in the list above the next entry to check.
        var next = 0
        /// The entries with instances, by their last use. Empty if the table has no limit.
        var lastUses = LastUses()
    }

    /// The number of older entries that are checked when one is added (invariant 4).
    private static let checksPerAddition = 2

    private let table = Locked(Table())
    /// How arguments are hashed and compared.
    // Unchecked, because the conformance of an argument to Hashable could be isolated. By the contract of such a registration, its
    // arguments may be hashed and compared on any thread.
    private let arguments: Unchecked<any KeyedArguments.Type>
    private let losesInstances: Bool
    /// The number of instances above which the table removes some; nil if there is no limit. A table with a limit has an index.
    private let limit: Int?
    /// The index; nil if each lookup takes the lock.
    let index: Pinned<KeyedIndex>?

    /// Makes an empty table.
    ///
    /// - Parameters:
    ///   - arguments: How arguments are hashed and compared.
    ///   - isPermanent: Whether an instance stays as long as its entry.
    ///   - limit: The number of instances above which those that were used least recently are removed.
    ///   - mayEndEarly: Whether an instance may end while callers hold it.
    ///   - isIndexed: Whether instances are found without a lock.
    init(
        _ arguments: any KeyedArguments.Type, isPermanent: Bool, limit: Int? = nil, mayEndEarly: Bool = false,
        isIndexed: Bool = false
    ) {
        self.arguments = Unchecked(arguments)
        losesInstances = !isPermanent
        self.limit = limit
        guard isIndexed else {
            index = nil
            return
        }
        index = Pinned(KeyedIndex(arguments, recordsUses: limit != nil, mayEndEarly: mayEndEarly))
    }

    deinit {
        guard let index else { return }
        index.value.heads.destroy()
        index.free()
    }

    /// Whether there is an instance for any arguments. May run user code.
    var hasInstances: Bool {
        let entries = table.withLock { Array($0.buckets.values.joined()) }
        return entries.contains { $0.hasInstance }
    }

    /// Returns the entry for the arguments at an address. All calls are for one type of service and of arguments.
    ///
    /// - Parameter make: Makes an entry with a user for a hash value.
    /// - Returns: The entry, and whether the caller is a user of it. If not, it has an instance that it cannot lose. Nil if an argument
    ///   does not equal itself, as NaN: its instance could never be found again.
    func enter(_ own: ArgumentsPointer, make: (_ hash: Int) -> KeyedEntry) -> (entry: KeyedEntry, isUsed: Bool)? {
        let arguments = arguments.value
        let hash = arguments.hash(own)
        if !losesInstances, let entry = index?.value.heads.entry(hash: hash), arguments.areEqual(entry.arguments, own) {
            return (entry, false)
        }
        var new: KeyedEntry?
        while true {
            let seen = table.withLock { $0.buckets[hash] ?? [] }
            if let entry = seen.first(where: { arguments.areEqual($0.arguments, own) }) {
                if enter(entry) { return (entry, true) }
            } else {
                // Otherwise the instance could never be found again.
                guard arguments.areEqual(own, own) else { return nil }
                let entry = new ?? make(hash)
                new = entry
                if add(entry, after: seen) { return (entry, true) }
            }
        }
    }

    /// Makes the caller a user of an entry, if it is still in the table. Adds it to the index if it has an instance.
    private func enter(_ entry: KeyedEntry) -> Bool {
        let (isThere, isNew) = table.withLock { table in
            // It may have been removed since the comparison (race B).
            guard let bucket = table.buckets[entry.hash], bucket.contains(where: { $0 === entry }) else {
                return (false, false)
            }
            entry.users += 1
            // The index has one entry for each hash value. The others are found under the lock.
            guard index != nil, entry.isKept, !entry.isIndexed, bucket.count == 1 else { return (true, false) }
            entry.isIndexed = true
            return (true, true)
        }
        if isNew { index?.value.add(entry) }
        return isThere
    }

    /// Adds an entry, if the bucket is still the same. Then it checks some older entries.
    ///
    /// - Returns: Whether it was added.
    private func add(_ entry: KeyedEntry, after seen: [KeyedEntry]) -> Bool {
        let isAdded = table.withLock { table in
            let current = table.buckets[entry.hash] ?? []
            // Another caller may have added an equal entry since the comparison (race A).
            guard current.elementsEqual(seen, by: ===) else { return false }
            table.buckets[entry.hash] = current + [entry]
            if losesInstances {
                entry.position = table.list.count
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
        let candidate = table.withLock { table -> KeyedEntry? in
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

    private func leave(_ entry: KeyedEntry, hasInstance: Bool) -> [KeyedEntry] {
        let removed = table.withLock { table -> [KeyedEntry] in
            var removed: [KeyedEntry] = []
            if hasInstance {
                if let index { table.noteUse(of: entry, index.value.heads) }
                entry.isKept = true
            }
            // While this user counts, so that its instance stays.
            while let limit, let now = index?.value.heads.now, table.lastUses.count > limit,
                let oldest = table.lastUses.removeOldest(at: now)
            {
                table.remove(oldest, fromList: losesInstances)
                removed.append(oldest)
            }
            entry.users -= 1
            guard entry.users == 0 else { return removed }
            if !entry.isKept {
                table.remove(entry, fromList: losesInstances)
                removed.append(entry)
            } else if let now = index?.value.heads.now {
                table.lastUses.place(entry, at: now)
            }
            return removed
        }
        for entry in removed where entry.isIndexed { index?.value.remove(entry) }
        return removed
    }
}

extension KeyedEntries.Table {
    /// Removes an entry from its bucket and, if it is there, from the list.
    fileprivate mutating func remove(_ entry: KeyedEntry, fromList isInList: Bool) {
        entry.noteRemoval()
        let rest = (buckets[entry.hash] ?? []).filter { $0 !== entry }
        buckets[entry.hash] = rest.isEmpty ? nil : rest
        guard isInList else { return }
        let last = list.removeLast()
        if last !== entry {
            list[entry.position] = last
            last.position = entry.position
        }
    }

    /// Records that a user has left an entry with its instance, if the table has a limit.
    fileprivate mutating func noteUse(of entry: KeyedEntry, _ index: HashIndex<KeyedEntry>) {
        guard let now = index.now else { return }
        entry.lastUse = now
        guard !entry.isKept else { return }
        entry.number = now
        lastUses.add()
        // Uses after the addition come after that of the new instance.
        index.advanceTime()
    }
}
