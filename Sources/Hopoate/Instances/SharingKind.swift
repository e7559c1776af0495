/// A kind of sharing: which resolve calls share one instance, who owns it, and where it is.
///
/// ``Lifetime/Sharing`` holds one. Each kind is a type in one file; everything that depends on the kind asks it here.
protocol SharingKind: Sendable {
    /// Who owns an instance.
    static var ownership: Creation.Ownership { get }

    /// Whether a factory may take arguments.
    static var arguments: ArgumentRule { get }

    /// Whether `register` creates the instance.
    static var isEager: Bool { get }

    /// How a service looks in a drawn graph.
    static var look: DependencyGraph.Look { get }

    /// The instances of a registration; nil if it has none, because each resolve call gets an instance of its own or because the
    /// instance exists already.
    static func instances<Service, Arguments>(
        _ setup: InstancesSetup<Arguments>, of service: Service.Type
    ) -> Instances<Service, Arguments>?
}

extension SharingKind {
    static var arguments: ArgumentRule { .refused }
    static var isEager: Bool { false }
}

/// Whether a factory may take arguments.
enum ArgumentRule {
    /// It may not: the first caller's arguments would be reused for every later caller.
    case refused
    case allowed
    /// It has to, and all of them have to be `Hashable`: they are the key of the instance.
    case hashable
}

/// What a registration says about its instances.
struct InstancesSetup<Arguments> {
    let lifetime: Lifetime
    /// The disposals of the instances that the registration owns; nil if there is no hook.
    let disposals: Disposals?
    let hasHooks: Bool
    /// The key of an instance; nil if an argument is not `Hashable`.
    let hashable: ((Arguments) -> [AnyHashable])?

    func makeStorage<Service>(for type: Service.Type) -> InstanceStorage<Service> {
        lifetime.policy.makeStorage(for: type)
    }
}

/// The instances of one registration.
///
/// A class, so that a factory does not know the kind; it asks on the slow path only.
// Unchecked, because a service need not be Sendable. What subclasses add is immutable or guarded by a lock.
class Instances<Service, Arguments>: @unchecked Sendable {
    final let setup: InstancesSetup<Arguments>

    init(_ setup: InstancesSetup<Arguments>) {
        self.setup = setup
    }

    /// Where a resolve call finds its instance or creates it. The caller has to leave the place.
    func place(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ resolution: Resolution
    ) throws(DependencyError) -> InstancePlace<Service> {
        preconditionFailure("each kind of sharing has its own")
    }

    /// Whether a resolve call through a container would find an instance; with arguments, for any of them.
    func hasInstance(in container: DependencyContainer) -> Bool { false }

    /// Where the only instance stays until the registration ends; nil if that is not so.
    var permanentInstance: InstancePointer? { nil }

    /// The single flight of the owner's instance, by whose address each container keeps an instance of its own; nil if containers
    /// do not.
    var scopedUnder: SingleFlight? { nil }
}

/// Where one resolve call finds its instance or creates it.
struct InstancePlace<Service> {
    let shared: SharedInstance<Service>
    /// The container that the instance is created with.
    let container: DependencyContainer
    let disposals: Disposals?
    let ownership: Creation.Ownership
    var graph: ObjectGraph?
    /// The entry that the place is of, if there is one instance for each value of the arguments.
    var entry: KeyedEntries.Use?

    /// Says that the caller has got its instance, or has not.
    func leave(hasInstance: Bool) { entry?.leave(hasInstance: hasInstance) }
}
