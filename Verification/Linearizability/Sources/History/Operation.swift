/// What tells registrations apart. Unique in a history; 0 is "nothing".
public typealias Identifier = UInt16

extension Identifier {
    /// What a read observes where nothing is registered.
    public static let none: Identifier = 0
    /// What a service that was deinitialized answers: no registration has it, so no order explains it.
    public static let dead: Identifier = .max
}

/// A call of the container: what was asked, what was answered, and between which two readings of the clock.
public struct Operation: Sendable {
    /// Which call.
    public enum Kind: UInt8, CaseIterable, Sendable {
        // Changes. `identifier` is the registration that is put there or taken out.
        case register, overwrite, remove, removeAll
        // Reads. `identifier` is the newest registration; for `canResolve` anything but `none` means yes.
        case resolve, optionalResolve, canResolve, borrow
        /// A read of the whole stack, which is in `stack`, newest first.
        case resolveAll
        /// A look at the service that a closure has borrowed: at `stack`, which must answer with its `identifier`.
        case look

        /// Whether it leaves the stacks as they are.
        public var isRead: Bool { rawValue > Kind.removeAll.rawValue }
    }

    /// Which call.
    public var kind: Kind
    /// Whose; the largest number is the audit, which looks at what a round has left.
    public var thread: UInt8
    /// Of which key; without meaning for `removeAll`.
    public var key: UInt8
    /// See `Kind`.
    public var identifier: Identifier
    /// See `Kind`.
    public var stack: [Identifier]
    /// Read before the call.
    public var invoked: UInt64
    /// Read after the return; the largest number where it is open whether the call had any effect.
    public var returned: UInt64

    /// A call that was made between two readings of the clock.
    public init(
        _ kind: Kind, thread: Int = 0, key: Int = 0, _ identifier: Identifier = .none, stack: [Identifier] = [],
        invoked: UInt64, returned: UInt64
    ) {
        self.kind = kind
        self.thread = UInt8(truncatingIfNeeded: thread)
        self.key = UInt8(truncatingIfNeeded: key)
        self.identifier = identifier
        self.stack = stack
        self.invoked = invoked
        self.returned = returned
    }

    /// Whether the effect is open.
    public var isPending: Bool { returned == .max }
}
