/// How long a service lives, and who shares it.
///
/// ```swift
/// container.register(Pool.self, lifetime: .singleton) { _ in Pool() }
/// ```
///
/// A lifetime is two decisions: which requests share one instance (``LifetimePolicy/sharing``), and how that is held meanwhile
/// (``InstanceStorage``). You can make your own; see ``LifetimePolicy``.
///
/// - Note: Concurrency. Immutable. Whatever the lifetime, a shared instance is created exactly once however many threads ask
///   at once: one of them runs the creator, the others wait for that very service, and nothing is locked meanwhile.
public struct Lifetime: Sendable {
    let name: String
    let policy: any LifetimePolicy
    /// Whether an instance stays until its registration or its container ends, so that lookups may remember where it is.
    let isPermanent: Bool

    /// Makes a lifetime of a policy.
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
    ///   - name: What it is called in lists and messages.
    ///   - policy: What it does.
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public init(_ name: String, policy: any LifetimePolicy) {
        self.init(name, policy: policy, isPermanent: false)
    }

    init(_ name: String, policy: any LifetimePolicy, isPermanent: Bool) {
        self.name = name
        self.policy = policy
        self.isPermanent = isPermanent
    }

    /// Whether there is one instance for all callers that stays until its registration ends.
    var isSingleton: Bool { isPermanent && policy.sharing == .registration }
}

extension Lifetime: CustomStringConvertible {
    /// The name.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public var description: String { name }
}

/// What a lifetime does. All lifetimes of this library are such policies, each in a file of its own.
///
/// ```swift
/// /// One instance, until the memory gets scarce.
/// struct Purgeable: LifetimePolicy {
///     func makeStorage<Instance>(for type: Instance.Type) -> InstanceStorage<Instance> { InstanceStorage() }
/// }
/// ```
///
/// - Note: Concurrency. Called from any thread, never under a lock.
public protocol LifetimePolicy: Sendable {
    /// Which requests share one instance. By default all that meet one registration.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread; it must always be the same.
    var sharing: Lifetime.Sharing { get }

    /// Whether the container owns the instances, so that it can dispose of them. It does by default.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread; it must always be the same.
    var ownsInstances: Bool { get }

    /// Makes what holds one shared instance. By default, something that holds it until it is cleared.
    ///
    /// - Parameter type: The type of the service.
    /// - Returns: An empty storage.
    /// - Complexity: The policy's own. Where threads are about to make one storage at once, those that are not needed are dropped.
    /// - Note: Concurrency. From any thread, with nothing locked.
    func makeStorage<Instance>(for type: Instance.Type) -> InstanceStorage<Instance>

    /// Why services of a type cannot live so; nil where they can, which is the default. Asked when one is registered.
    ///
    /// - Parameter type: The type of the service.
    /// - Returns: The reason and the remedy, as the end of a sentence that begins with the type.
    /// - Complexity: The policy's own. Called once for each registration.
    /// - Note: Concurrency. From any thread, with nothing locked.
    func objection<Service>(to type: Service.Type) -> String?
}

extension LifetimePolicy {
    /// All requests that meet one registration.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public var sharing: Lifetime.Sharing { .registration }

    /// The container does.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public var ownsInstances: Bool { true }

    /// One that holds the instance until it is cleared.
    ///
    /// - Parameter type: The type of the service.
    /// - Returns: An empty storage.
    /// - Complexity: Two allocations.
    /// - Note: Concurrency. From any thread.
    public func makeStorage<Instance>(for type: Instance.Type) -> InstanceStorage<Instance> { InstanceStorage() }

    /// None.
    ///
    /// - Parameter type: The type of the service.
    /// - Returns: Nil.
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public func objection<Service>(to type: Service.Type) -> String? { nil }
}

extension Lifetime {
    /// Which requests share one instance.
    public struct Sharing: Sendable, Hashable {
        let kind: any SharingKind.Type

        init(_ kind: any SharingKind.Type) {
            self.kind = kind
        }

        /// None: each gets an instance of its own.
        public static let nobody = Sharing(NotShared.self)
        /// All that meet one registration.
        public static let registration = Sharing(SharedByRegistration.self)
        /// All through one container: its children have instances of their own.
        public static let container = Sharing(SharedByContainer.self)
        /// All in the course of one outermost request.
        public static let graph = Sharing(SharedByGraph.self)
        /// All with equal arguments, which have to be `Hashable`.
        public static let arguments = Sharing(SharedByArguments.self)

        /// Whether two are of the same kind.
        ///
        /// - Complexity: Constant.
        public static func == (left: Sharing, right: Sharing) -> Bool { left.kind == right.kind }

        /// Feeds the kind to a hasher.
        ///
        /// - Complexity: Constant.
        public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(kind)) }
    }
}
