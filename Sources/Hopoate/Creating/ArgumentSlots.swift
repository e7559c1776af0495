/// The instances of a service that has one for each value of its arguments.
///
/// Hashing and comparing arguments is their own code, so it is done outside the lock: under it, entries are only fetched by
/// their hash value, and added and removed by their identity. An entry whose creation failed is removed when the last of those
/// who use it leaves: so what nobody could make leaves nothing behind, and two who ask at once meet in one slot.
final class ArgumentSlots<Service, Arguments>: @unchecked Sendable {
    // Unchecked, because of the closure and the entries. The one is code that was agreed to run anywhere; the others are
    // immutable but for what is under the lock.
    final class Entry {
        fileprivate let arguments: [AnyHashable]
        fileprivate let hash: Int
        let slot: Slot<Service>
        /// Who is about to ask the slot. Under the lock.
        fileprivate var users = 1
        /// Whether it has had an instance; then it stays. Under the lock.
        fileprivate var isPermanent = false

        fileprivate init(_ arguments: [AnyHashable], hash: Int, _ slot: Slot<Service>) {
            self.arguments = arguments
            self.hash = hash
            self.slot = slot
        }
    }

    private let entries = Locked<[Int: [Entry]]>([:])
    private let hashable: (Arguments) -> [AnyHashable]

    init(hashable: @escaping (Arguments) -> [AnyHashable]) {
        self.hashable = hashable
    }

    /// The entry of a value, to be left with `leave`.
    func enter(_ arguments: Arguments, make: () -> Slot<Service>) -> Entry {
        let arguments = hashable(arguments)
        let hash = arguments.hashValue
        var new: Entry?
        while true {
            let seen = entries.withLock { $0[hash] ?? [] }
            if let entry = seen.first(where: { $0.arguments == arguments }) {
                if entries.withLock({ $0[hash]?.enter(entry) ?? false }) { return entry }
            } else {
                let entry = new ?? Entry(arguments, hash: hash, make())
                new = entry
                let isAdded = entries.withLock { entries in
                    let current = entries[hash] ?? []
                    guard current.count == seen.count, zip(current, seen).allSatisfy({ $0 === $1 }) else {
                        return false
                    }
                    entries[hash, default: []].append(entry)
                    return true
                }
                if isAdded { return entry }
            }
        }
    }

    /// Says that one of those who entered has got an instance, or has not.
    func leave(_ entry: Entry, hasInstance: Bool) {
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

extension Array {
    /// Enters an entry, where it has not been removed meanwhile.
    fileprivate func enter<Service, Arguments>(
        _ entry: ArgumentSlots<Service, Arguments>.Entry
    ) -> Bool where Element == ArgumentSlots<Service, Arguments>.Entry {
        guard contains(where: { $0 === entry }) else { return false }
        entry.users += 1
        return true
    }
}
