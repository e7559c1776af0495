/// The disposals of one registration, or of a child container's part of it.
///
/// A decorator that wraps the service holds them, because the decorated instance uses the inner one even after the inner
/// registration is removed. So they run when the registration and its last decorator have both left their containers. A layer that
/// shows the registration to earlier children holds them too (Generations.swift).
///
/// Invariant: a disposal is refused if it is added after the end, or for an instance from before a reset. The caller then runs
/// it. Adding, ending and resetting take the same lock. So if a registration is removed during a creation, exactly one of the two
/// threads disposes of the instance.
@usableFromInline
final class Disposals: Sendable {
    private struct Contents {
        var entries: [ObjectIdentifier: Entry] = [:]
        var serial = 0
        var hasLeft = false
        var holders = 0
        var hasLetGo = false
        /// Instances with a lower mark have been reset.
        var lowestMark: UInt32 = 0

        var hasEnded: Bool { hasLeft && holders == 0 }

        /// Removes some entries and returns them.
        mutating func take(where isTaken: (Disposal) -> Bool) -> [ObjectIdentifier: Entry] {
            let taken = entries.filter { isTaken($0.value.disposal) }
            for key in taken.keys { entries[key] = nil }
            return taken
        }
    }

    // The key is the address of the disposal, which the entry keeps alive.
    private struct Entry {
        let disposal: Disposal
        let state: ContainerState
        let serial: Int
    }

    private let contents = Locked(Contents())
    /// The disposals of the service that this one decorates.
    private let decorated: Disposals?
    /// An object that the registration keeps with its disposals; nil if there is none. Its user knows the class.
    let companion: (any AnyObject & Sendable)?

    init(decorating decorated: Disposals? = nil, companion: (any AnyObject & Sendable)? = nil) {
        self.decorated = decorated
        self.companion = companion
        decorated?.hold()
    }

    /// Adds a disposal that its container has recorded.
    ///
    /// - Returns: Whether it was added; if not, the caller runs it.
    func add(_ disposal: Disposal, of state: ContainerState) -> Bool {
        contents.withLock { contents in
            guard !contents.hasEnded, disposal.mark >= contents.lowestMark else { return false }
            contents.serial += 1
            contents.entries[ObjectIdentifier(disposal)] = Entry(
                disposal: disposal, state: state, serial: contents.serial)
            return true
        }
    }

    /// Removes a disposal, which the caller then runs.
    ///
    /// - Returns: The state of its container, if it was found both here and there.
    func forget(_ disposal: Disposal) -> ContainerState? {
        let entry = contents.withLock { $0.entries.removeValue(forKey: ObjectIdentifier(disposal)) }
        guard let state = entry?.state, state.forget(disposal) else { return nil }
        return state
    }

    /// Runs the disposals of a storage that was cleared, latest first. The registration stays.
    func reset(_ storage: ObjectIdentifier) { run(contents.withLock { $0.take { $0.storage == storage } }) }

    /// Runs the disposals of instances from before a mark: their creations began before it, and may still be in flight.
    func reset(before mark: UInt32) {
        let leaving = contents.withLock { contents in
            contents.lowestMark = max(contents.lowestMark, mark)
            return contents.take { $0.mark < mark }
        }
        run(leaving)
    }

    /// Marks that the registration has left its container.
    func end() {
        contents.withLock { $0.hasLeft = true }
        finishIfOver(run)
    }

    /// Notes that a layer shows the registration to the children that began in it.
    func hold() { contents.withLock { $0.holders += 1 } }

    /// Undoes `hold`.
    func letGo() { letGo(run) }

    /// Undoes `hold` for several registrations, or marks that they have left their container.
    ///
    /// - Returns: The disposals that are over, and the states of their containers. The caller runs them.
    static func take(_ all: [Disposals], leftContainer: Bool) -> [(disposal: Disposal, state: ContainerState)] {
        var taken: [Entry] = []
        for disposals in all {
            let collect = { (entries: [ObjectIdentifier: Entry]) in taken += entries.values }
            if leftContainer {
                disposals.contents.withLock { $0.hasLeft = true }
                disposals.finishIfOver(collect)
            } else {
                disposals.letGo(collect)
            }
        }
        return taken.map { ($0.disposal, $0.state) }
    }

    private func letGo(_ run: ([ObjectIdentifier: Entry]) -> Void) {
        contents.withLock { $0.holders -= 1 }
        finishIfOver(run)
    }

    private func finishIfOver(_ run: ([ObjectIdentifier: Entry]) -> Void) {
        let leaving = contents.withLock { $0.hasEnded ? exchange(&$0.entries, with: [:]) : nil }
        guard let leaving else { return }
        run(leaving)
        // Once, even if a decorator is added while the registration is being removed.
        guard let decorated, contents.withLock({ !exchange(&$0.hasLetGo, with: true) }) else { return }
        decorated.letGo(run)
    }

    private func run(_ entries: [ObjectIdentifier: Entry]) {
        for entry in entries.values.sorted(by: { $0.serial > $1.serial }) where entry.state.forget(entry.disposal) {
            entry.disposal.run(in: entry.state)
        }
    }
}
