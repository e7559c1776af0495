/// How many instances one registration may have.
public enum InstanceLifetime: UInt8, Sendable {
    /// One.
    case singleton
    /// One for each container that resolves it.
    case scoped
    /// One for each value of the argument.
    case keyed
}

/// A registration of a service that is created on first use.
public struct LazyRegistration: Sendable {
    /// The type that it is registered under.
    public var key: UInt8
    /// How many instances it may have.
    public var lifetime: InstanceLifetime
    /// Whether it has a disposal hook. The rules of disposal are checked only if it has one.
    public var hasHook: Bool

    /// A registration under one of the keys.
    public init(key: Int = 0, _ lifetime: InstanceLifetime, hasHook: Bool = true) {
        self.key = UInt8(truncatingIfNeeded: key)
        self.lifetime = lifetime
        self.hasHook = hasHook
    }
}

/// A call of a container with services that are created on first use.
public struct InstanceCall: Sendable {
    /// The kind of a call.
    public enum Kind: UInt8, CaseIterable, Sendable {
        case register, overwrite, remove, removeAll, resolve, shutDown
    }

    /// The result of a resolve call.
    public enum Answer: UInt8, Sendable {
        /// An instance, which is in `instance`.
        case found
        /// No registration was found.
        case missing
        /// The factory threw.
        case failed
        /// The container is shutting down, or was shut down.
        case ended
    }

    /// The kind of the call.
    public var kind: Kind
    /// The thread that made it. The largest number stands for the round, before its threads begin and after they have ended.
    public var thread: UInt8
    /// The container that was called: 0 holds the registrations, the others are its children and hold none.
    public var container: UInt8
    /// The key of a resolve call.
    public var key: UInt8
    /// The argument of a resolve call, if the service is keyed.
    public var argument: UInt8
    /// The registration that is added or removed.
    public var registration: Identifier
    /// The result of a resolve call.
    public var answer = Answer.missing
    /// The instance that a resolve call returned.
    public var instance: Identifier = .none
    /// The clock before the call.
    public var invoked: UInt64
    /// The clock after the return.
    public var returned: UInt64

    /// A call that was made between two readings of the clock.
    public init(
        _ kind: Kind, thread: Int = 0, container: Int = 0, key: Int = 0, argument: Int = 0,
        _ registration: Identifier = .none, answer: Answer = .missing, instance: Identifier = .none,
        invoked: UInt64, returned: UInt64
    ) {
        self.kind = kind
        self.thread = UInt8(truncatingIfNeeded: thread)
        self.container = UInt8(truncatingIfNeeded: container)
        self.key = UInt8(truncatingIfNeeded: key)
        self.argument = UInt8(truncatingIfNeeded: argument)
        self.registration = registration
        self.answer = answer
        self.instance = instance
        self.invoked = invoked
        self.returned = returned
    }
}

/// One run of a factory.
public struct InstanceCreation: Sendable {
    /// The thread that ran it.
    public var thread: UInt8
    /// The registration whose factory it is.
    public var registration: Identifier
    /// The container that the factory got, if the service is scoped; the argument, if it is keyed; else 0.
    public var place: UInt8
    /// The instance; `none` if the factory threw.
    public var instance: Identifier
    /// The clock when the factory began.
    public var begun: UInt64
    /// The clock when it returned or threw.
    public var ended: UInt64

    /// A run of a factory between two readings of the clock.
    public init(
        thread: Int = 0, _ registration: Identifier, place: Int = 0, instance: Identifier, begun: UInt64, ended: UInt64
    ) {
        self.thread = UInt8(truncatingIfNeeded: thread)
        self.registration = registration
        self.place = UInt8(truncatingIfNeeded: place)
        self.instance = instance
        self.begun = begun
        self.ended = ended
    }
}

/// One run of a disposal hook.
public struct InstanceDisposal: Sendable {
    /// The thread that ran it.
    public var thread: UInt8
    /// The instance that the hook got.
    public var instance: Identifier
    /// The clock when the hook began.
    public var begun: UInt64
    /// The clock when it returned.
    public var ended: UInt64

    /// A run of a hook between two readings of the clock.
    public init(thread: Int = 0, instance: Identifier, begun: UInt64, ended: UInt64) {
        self.thread = UInt8(truncatingIfNeeded: thread)
        self.instance = instance
        self.begun = begun
        self.ended = ended
    }
}

/// The calls of several threads on one container and its children, with the creations and disposals of instances.
public struct InstanceHistory: Sendable {
    /// By identifier.
    public var registrations: [Identifier: LazyRegistration]
    /// In any order.
    public var calls: [InstanceCall]
    /// In any order.
    public var creations: [InstanceCreation]
    /// In any order.
    public var disposals: [InstanceDisposal]
    /// The clock when all threads had ended, before the round's own shutdown of the containers; nil if there is none.
    public var quiet: UInt64?
    /// The amount by which the clocks of the cores may disagree.
    public var warp: UInt64 = 0

    /// A history of registrations, calls, creations and disposals.
    public init(
        registrations: [Identifier: LazyRegistration], calls: [InstanceCall], creations: [InstanceCreation] = [],
        disposals: [InstanceDisposal] = [], quiet: UInt64? = nil
    ) {
        self.registrations = registrations
        self.calls = calls
        self.creations = creations
        self.disposals = disposals
        self.quiet = quiet
    }
}
