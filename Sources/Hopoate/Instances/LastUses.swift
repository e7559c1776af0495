/// Keyed entries by their last use, the one that was used least recently first. Its owner's lock guards it.
///
/// Time is the number of instances that were ever added to the table: an addition ends a moment, and is the last use in it. So other
/// uses between two additions are simultaneous; of the entries with simultaneous uses, the one that was added first counts as used
/// first. In return, most uses write nothing: an entry notes only the first use after an addition. A thread that is delayed between
/// reading the time and noting it may note an earlier use than the last one.
///
/// A heap, in which an entry lies at the place of an earlier use. A later use does not move the entry. Its place is corrected when
/// it gets to the top. So a removal has to correct at most one place for each entry that was used since the last removal.
///
/// The heap holds entries without users. An entry gets its place when its last user leaves. If it has a user again when it gets to the top,
/// it loses the place until that user leaves. So a removal looks at an entry with users at most once for each time that its last user has
/// left, however many entries are in use.
struct LastUses {
    private struct Item {
        let entry: KeyedEntry
        /// The use that decides the place. The entry may have been used later.
        var use: UInt32
    }

    /// The children of the item at an index are at twice this index, plus one and plus two. No child was used before its parent.
    private var heap: [Item] = []

    /// The number of entries, with and without users.
    private(set) var count = 0

    /// Counts an entry that has a user. It gets a place when its last user leaves.
    mutating func add() { count += 1 }

    /// Gives an entry whose last user has left a place, unless it has one.
    mutating func place(_ entry: KeyedEntry, at now: UInt32) {
        if entry.hasPlace { return }
        entry.hasPlace = true
        heap.append(Item(entry: entry, use: entry.lastUse))
        raiseLast(at: now)
    }

    /// Removes the entry that was used least recently, of those without users.
    ///
    /// - Returns: The entry; nil if all have users.
    mutating func removeOldest(at now: UInt32) -> KeyedEntry? {
        while let first = heap.first {
            if first.entry.users > 0 {
                removeFirst(at: now)
            } else if first.use != first.entry.lastUse {
                heap[0].use = first.entry.lastUse
                sinkFirst(at: now)
            } else {
                removeFirst(at: now)
                count -= 1
                return first.entry
            }
        }
        return nil
    }

    /// Moves the last item to its place.
    private mutating func raiseLast(at now: UInt32) {
        var index = heap.count - 1
        while index > 0, isOlder(index, than: (index - 1) / 2, at: now) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func removeFirst(at now: UInt32) {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast().entry.hasPlace = false
        sinkFirst(at: now)
    }

    /// Moves the first item to its place.
    private mutating func sinkFirst(at now: UInt32) {
        var index = 0
        while 2 * index + 1 < heap.count {
            var child = 2 * index + 1
            if child + 1 < heap.count, isOlder(child + 1, than: child, at: now) { child += 1 }
            guard isOlder(child, than: index, at: now) else { return }
            heap.swapAt(child, index)
            index = child
        }
    }

    /// The number may have overflowed, so only the distances from now are compared.
    private func isOlder(_ one: Int, than other: Int, at now: UInt32) -> Bool {
        let (one, other) = (heap[one], heap[other])
        return (now &- one.use, now &- one.entry.number) > (now &- other.use, now &- other.entry.number)
    }
}
