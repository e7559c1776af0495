/// The entry of one value of the arguments in a table of ``KeyedEntries``.
// Unchecked, because it has variables. Sound, because they are used only under the lock of the table, except for two in the head, which
// are atomic.
class KeyedEntry: @unchecked Sendable {
    /// The part that lookups read.
    final let head: IndexHead
    final let hash: Int
    /// The number of callers that are about to read the instance, or that create it, and of checks.
    final var users = 1
    /// Whether a user has left with an instance since the last check. If so, the entry stays in the table, unless it is over the limit.
    final var isKept = false
    /// Whether it was added to the index.
    final var isIndexed = false
    /// The index in the list of entries to check.
    final var position = 0
    /// The number of instances that were added to the table before this one. Only if the table has a limit.
    final var number: UInt32 = 0
    /// Whether `LastUses` has a place for it. Only if the table has a limit.
    final var hasPlace = false
    /// The disposal of the instance that was stored last. Used only by the creation in flight, and after the removal.
    final var lastDisposal: Disposal?

    fileprivate init(_ head: IndexHead, hash: Int) {
        self.head = head
        self.hash = hash
        head.setEntry(self)
    }

    /// The address of the arguments, which are immutable. The contract of such a registration is that they may be hashed and compared on
    /// any thread.
    final var arguments: ArgumentsPointer { head.arguments }

    /// The number of instances that were added to the table before the last use of this one. Only if the table has a limit.
    final var lastUse: UInt32 {
        get { head.lastUse }
        set { head.lastUse = newValue }
    }

    /// Tells lookups that the entry is not in its table any more.
    final func noteRemoval() { head.noteRemoval() }

    /// Whether there is an instance. May run user code.
    var hasInstance: Bool { preconditionFailure("each entry is of a service") }

    /// Disposes of the last instance of the entry. Called once, after the entry was removed.
    func end() {}
}

/// The entry of one service and one value of its arguments.
// Unchecked for the same reason as the base class. The properties are immutable.
final class KeyedInstance<Service, Arguments>: KeyedEntry, @unchecked Sendable {
    let shared: SharedInstance<Service>
    /// The disposals of the instances; nil if there are no hooks.
    private let disposals: Disposals?

    /// Makes an entry with a user.
    init(
        _ arguments: Arguments, hash: Int, _ shared: SharedInstance<Service>, _ disposals: Disposals?
    ) {
        self.shared = shared
        self.disposals = disposals
        super.init(IndexHead(arguments, shared.pointer), hash: hash)
    }

    deinit { head.free(Arguments.self) }

    override var hasInstance: Bool { shared.hasInstance }

    override func end() {
        // Nobody uses a removed entry, so no creation is in flight in it (invariant 6 of `KeyedEntries`).
        if let lastDisposal, let state = disposals?.forget(lastDisposal) { lastDisposal.run(in: state) }
    }
}
