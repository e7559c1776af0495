/// How long an instance lives, and who shares it.
///
/// ```swift
/// container.register(Pool.self, lifetime: .singleton) { _ in Pool() }
/// ```
///
/// A lifetime decides two things: which resolve calls share an instance (``LifetimePolicy/sharing``), and how the instance is
/// kept (``InstanceStorage``). You can define your own; see ``LifetimePolicy``.
///
/// - Note: Concurrency. Immutable. With every lifetime, a shared instance is created exactly once, however many threads resolve
///   it at the same time. One thread runs the factory, the others wait for that service only, and no lock is held meanwhile.
public struct Lifetime: Sendable {
    let name: String
    let policy: any LifetimePolicy
    /// Whether an instance stays in its storage until the storage is released. If so, lookups may cache where it is.
    let isPermanent: Bool
    /// The number of instances that a registration keeps, if its instances are kept by argument value; nil if it keeps all.
    let limit: Int?

    /// Creates a lifetime from a policy.
    ///
    /// ```swift
    /// extension Lifetime {
    ///     static let plain = Lifetime("plain", policy: Plain())
    ///
    ///     private struct Plain: LifetimePolicy {
    ///         func makeStorage<Instance>(for type: Instance.Type) -> InstanceStorage<Instance> { InstanceStorage() }
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name in lists and messages.
    ///   - policy: Decides who shares an instance and how it is kept.
    public init(_ name: String, policy: any LifetimePolicy) {
        self.init(name, policy: policy, isPermanent: false)
    }

    init(_ name: String, policy: any LifetimePolicy, isPermanent: Bool, limit: Int? = nil) {
        self.name = name
        self.policy = policy
        self.isPermanent = isPermanent
        self.limit = limit
    }

    /// Whether there is one instance for all callers that stays until its registration ends.
    package var isSingleton: Bool { isPermanent && policy.sharing == .registration }

    /// Whether the instance is created when it is registered.
    package var isEager: Bool { policy.sharing.kind.isEager }

    /// The owner of an instance.
    var ownership: Ownership {
        let ownership = policy.sharing.kind.ownership
        return ownership == .registration && policy.mayEndEarly ? .expiring : ownership
    }

    /// The callers that share an instance, in a word.
    package var sharingName: String { policy.sharing.kind.rawValue }

    /// Whether factories may take arguments. A singleton is one instance, so its factory may not.
    var arguments: ArgumentRule { isSingleton ? .refused : policy.sharing.kind.arguments }
}

extension Lifetime: CustomStringConvertible {
    /// The name of the lifetime.
    public var description: String { name }
}

/// The behaviour of a lifetime. Each built-in lifetime is a policy in a file of its own.
///
/// ```swift
/// /// One instance until memory gets scarce.
/// struct Purgeable: LifetimePolicy {
///     func makeStorage<Instance>(for type: Instance.Type) -> InstanceStorage<Instance> { InstanceStorage() }
/// }
/// ```
///
/// - Note: Concurrency. Called on any thread, never under a lock.
public protocol LifetimePolicy: Sendable {
    /// The resolve calls that share one instance; by default, all that find the same registration. The value must never change.
    ///
    /// If the factory takes arguments, those of these calls that pass equal arguments share one instance.
    ///
    /// - Complexity: Should be constant.
    var sharing: Lifetime.Sharing { get }

    /// Whether the container owns the instances and disposes of them; true by default. The value must never change.
    ///
    /// If the value is false, registering with a disposal hook traps.
    ///
    /// - Complexity: Should be constant.
    var ownsInstances: Bool { get }

    /// Whether the storage may end an instance that callers still hold; false by default. The value must never change.
    ///
    /// If it is true, a service that lives longer must not keep an instance: resolving it in the factory of a singleton, for example, fails
    /// with ``DependencyError/Reason/captive``. Such a service can use a ``DependencyProvider``.
    ///
    /// - Complexity: Should be constant.
    var mayEndEarly: Bool { get }

    /// Returns a storage for one shared instance; by default, one that keeps the instance until the storage is cleared.
    ///
    /// - Parameter type: The type of the service.
    /// - Returns: An empty storage.
    /// - Complexity: That of the policy. Threads that race to create the same storage may each call this; only one storage is
    ///   used.
    func makeStorage<Instance>(for type: Instance.Type) -> InstanceStorage<Instance>
}

extension LifetimePolicy {
    /// The default implementation: all resolve calls that find the same registration share an instance.
    public var sharing: Lifetime.Sharing { .registration }

    /// The default implementation: true, so the container owns the instances.
    public var ownsInstances: Bool { true }

    /// The default implementation: false, so an instance stays until its registration ends, or until no caller holds it.
    public var mayEndEarly: Bool { false }

    /// The default implementation: returns a storage that keeps the instance until the storage is cleared.
    ///
    /// - Parameter type: The type of the service.
    /// - Returns: An empty storage.
    /// - Complexity: Two allocations.
    public func makeStorage<Instance>(for type: Instance.Type) -> InstanceStorage<Instance> { InstanceStorage() }
}

extension Lifetime {
    /// The set of resolve calls that share one instance. If the factory takes arguments, they share one per argument value.
    public struct Sharing: Sendable, Hashable {
        let kind: SharingKind

        init(_ kind: SharingKind) {
            self.kind = kind
        }

        /// None. Each resolve call gets an instance of its own.
        public static let nobody = Sharing(.nobody)
        /// All resolve calls that find the same registration.
        public static let registration = Sharing(.registration)
        /// All resolve calls through one container. Each child has an instance of its own.
        public static let container = Sharing(.container)
        /// All resolve calls through one container inside one outermost resolve call. A service whose instance its registration owns begins
        /// an object graph of its own.
        public static let graph = Sharing(.graph)
        /// All resolve calls with equal arguments that find the same registration. Registering traps if the factory takes none.
        public static let arguments = Sharing(.arguments)
        /// All resolve calls that find the same registration, which exists together with the instance.
        static let register = Sharing(.instance)
    }
}
