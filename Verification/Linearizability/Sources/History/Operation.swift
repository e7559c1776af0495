/// The identifier of a registration, unique in a history; 0 means no registration.
public typealias Identifier = UInt16

extension Identifier {
    /// The result of a read if there is no registration.
    public static let none: Identifier = 0
    /// The identifier of a service after its deinitialization. No registration has it, so no order explains it.
    public static let dead: Identifier = .max
}

/// A call of the container with its result, between two readings of the clock.
public struct Operation: Sendable {
    /// The kind of a call.
    public enum Kind: UInt8, CaseIterable, Sendable {
        // Changes. `identifier` is the registration that is added or removed.
        case register, overwrite, remove, removeAll
        /// Replaces the stacks of a key and of the next one, in one step. `stack` has the registration of the next one.
        case commit
        // Reads. `identifier` is the newest registration. For `canResolve` any value except `none` means true.
        case resolve, optionalResolve, canResolve, borrow
        /// A read of the whole stack. `stack` has the result, newest first.
        case resolveAll
        /// A read of the borrowed service in a closure. `stack` has its registration, which must equal `identifier`.
        case look

        /// Whether it leaves the stacks as they are.
        public var isRead: Bool { rawValue > Kind.commit.rawValue }
    }

    /// The kind of the call.
    public var kind: Kind
    /// The thread. The largest number stands for the audit after a round.
    public var thread: UInt8
    /// The key, or the first one; without meaning for `removeAll`.
    public var key: UInt8
    /// See `Kind`.
    public var identifier: Identifier
    /// See `Kind`.
    public var stack: [Identifier]
    /// The clock before the call.
    public var invoked: UInt64
    /// The clock after the return. The largest number if the call may or may not have had an effect.
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

    /// Whether the call may or may not have had an effect.
    public var isPending: Bool { returned == .max }
}
