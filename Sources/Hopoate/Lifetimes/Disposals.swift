/// The disposals of one registration, or of the part of it that a child container keeps.
///
/// A decorator that wraps the service holds them: what it hands out is still in use when the registration inside is removed,
/// so they run when both the registration and its last decorator have left their containers.
///
/// Invariant: a disposal that is added after the end, or for an instance from before a reset, is refused, and is the caller's to
/// run. Adding, ending and resetting take the same lock: so an instance whose registration is removed during its creation is
/// disposed of by exactly one of the two threads.
@usableFromInline
final class Disposals: Sendable {
    private struct Contents {
        var entries: [ObjectIdentifier: Entry] = [:]
        var serial = 0
        var hasLeft = false
        var holders = 0
        var hasLetGo = false
        /// Instances with lower marks have been reset.
        var lowestMark: UInt32 = 0

        var hasEnded: Bool { hasLeft && holders == 0 }
    }

    // The entry keeps the disposal alive whose address is its key.
    private struct Entry {
        let disposal: Disposal
        let state: ContainerState
        let serial: Int
    }

    private let contents = Locked(Contents())
    /// The disposals of the service that this one decorates.
    private let decorated: Disposals?

    init(decorating decorated: Disposals? = nil) {
        self.decorated = decorated
        decorated?.contents.withLock { $0.holders += 1 }
    }

    /// Adds a disposal that a container has noted.
    ///
    /// - Returns: Whether it did.
    func add(_ disposal: Disposal, of state: ContainerState) -> Bool {
        contents.withLock { contents in
            guard !contents.hasEnded, disposal.mark >= contents.lowestMark else { return false }
            contents.serial += 1
            contents.entries[ObjectIdentifier(disposal)] = Entry(
                disposal: disposal, state: state, serial: contents.serial)
            return true
        }
    }

    /// Takes a disposal out, to be run by the caller.
    ///
    /// - Returns: Whether it was there, here and in its container.
    func forget(_ disposal: Disposal) -> Bool {
        let entry = contents.withLock { $0.entries.removeValue(forKey: ObjectIdentifier(disposal)) }
        return entry?.state.forget(disposal) ?? false
    }

    /// Runs all of them, latest first, for instances that are not to be found any more, while the registration goes on.
    func reset() { run(contents.withLock { exchange(&$0.entries, with: [:]) }) }

    /// As `reset`, for instances whose creation began before a mark, also if it has not ended yet.
    func reset(before mark: UInt32) {
        let leaving = contents.withLock { contents in
            contents.lowestMark = max(contents.lowestMark, mark)
            let leaving = contents.entries.filter { $0.value.disposal.mark < mark }
            for key in leaving.keys { contents.entries[key] = nil }
            return leaving
        }
        run(leaving)
    }

    /// The registration has left its container.
    func end() {
        contents.withLock { $0.hasLeft = true }
        finishIfOver()
    }

    private func finishIfOver() {
        let leaving = contents.withLock { $0.hasEnded ? exchange(&$0.entries, with: [:]) : nil }
        guard let leaving else { return }
        run(leaving)
        // Once, also if a decorator came while the registration was leaving.
        guard let decorated, contents.withLock({ !exchange(&$0.hasLetGo, with: true) }) else { return }
        decorated.contents.withLock { $0.holders -= 1 }
        decorated.finishIfOver()
    }

    private func run(_ entries: [ObjectIdentifier: Entry]) {
        for entry in entries.values.sorted(by: { $0.serial > $1.serial }) where entry.state.forget(entry.disposal) {
            entry.disposal.run()
        }
    }
}
