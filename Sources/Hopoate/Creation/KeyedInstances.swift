/// The slots of a service that has an instance for each value of its arguments.
///
/// Hashing and comparing arguments is their own code, so it is done outside the lock: under it, entries are only fetched by
/// their hash value, and added and removed by their identity. An entry whose creation failed is removed when the last of those
/// who use it leaves: so what nobody could make leaves nothing behind, and two who ask at once meet in one slot.
final class ArgumentSlots: Sendable {
    // Unchecked, because of the variables, which are used under the lock only.
    final class Entry: @unchecked Sendable {
        // Immutable values, which are agreed to be Hashable anywhere.
        fileprivate let arguments: [AnyHashable]
        fileprivate let hash: Int
        /// Where the instance is: a `Holder` of a slot for what the recipe makes.
        let slot: AnyObject
        /// How many are about to ask the slot, or create in it.
        fileprivate var users = 1
        /// Whether it has had an instance; then it stays.
        fileprivate var isPermanent = false

        fileprivate init(_ arguments: [AnyHashable], hash: Int, slot: AnyObject) {
            self.arguments = arguments
            self.hash = hash
            self.slot = slot
        }
    }

    private let entries = Locked<[Int: [Entry]]>([:])

    /// Whether there is an instance for any value.
    var hasInstances: Bool { entries.withLock { $0.values.contains { $0.contains(where: \.isPermanent) } } }

    /// The entry of a value, to be left with `leave`; nil for a value that is not equal to itself, such as a number that is none:
    /// nobody could ever find its instance again.
    func enter(_ arguments: [AnyHashable], makeSlot: () -> AnyObject) -> Entry? {
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
                let entry = new ?? Entry(arguments, hash: hash, slot: makeSlot())
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

    /// Enters once more, for somebody who has entered.
    func hold(_ entry: Entry) { entries.withLock { _ in entry.users += 1 } }

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
