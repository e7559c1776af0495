/// A kind of sharing: which resolve calls share one instance, and who owns it. ``Lifetime/Sharing`` holds one.
///
/// The value of a case is the word for those that share an instance. Where the instances of a kind are, the folder Instances/ decides.
enum SharingKind: String {
    /// An instance per `resolve` call. See ``Lifetime/transient``.
    case nobody
    /// One instance for all callers, created inside `register`.
    case instance
    /// One instance per registration. See ``Lifetime/singleton``.
    case registration
    /// One instance per container. See ``Lifetime/scoped``.
    case container
    /// One instance per object graph. See ``Lifetime/graph``.
    case graph
    /// One instance per value of the arguments. See ``Lifetime/keyed``.
    case arguments

    /// The owner of an instance.
    var ownership: Ownership {
        switch self {
        case .nobody, .graph: .caller
        case .container: .container
        case .instance, .registration, .arguments: .registration
        }
    }

    /// Whether factories may take arguments.
    var arguments: ArgumentRule {
        switch self {
        case .nobody: .allowed
        case .instance: .refused
        case .registration, .container, .graph: .hashable
        case .arguments: .required
        }
    }

    /// Whether resolve calls share instances that one of them creates.
    var isShared: Bool { self != .nobody && self != .instance }

    /// Whether `register` creates the instance.
    var isEager: Bool { self == .instance }

    /// Whether child containers keep instances in scope slots.
    var usesScopeSlots: Bool { self == .container }
}

/// Whether factories may take arguments.
enum ArgumentRule {
    /// They may not: the first caller's arguments would be reused for every later caller.
    case refused
    case allowed
    /// They may, if all arguments are `Hashable`. Then there is one instance per value, inside what the kind shares.
    case hashable
    /// They must, and all arguments have to be `Hashable`: they are the key of the instance.
    case required
}
