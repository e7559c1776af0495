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
        self.name = name
        self.policy = policy
    }
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
        enum Kind: Sendable { case beforehand, nobody, registration, container, graph, arguments }
        let kind: Kind

        private init(_ kind: Kind) {
            self.kind = kind
        }

        /// None: each gets an instance of its own.
        public static let nobody = Sharing(.nobody)
        /// All that meet one registration.
        public static let registration = Sharing(.registration)
        /// All through one container: its children have instances of their own.
        public static let container = Sharing(.container)
        /// All in the course of one outermost request.
        public static let graph = Sharing(.graph)
        /// All with equal arguments, which have to be `Hashable`.
        public static let arguments = Sharing(.arguments)

        /// Everything: the instance is made before the registration.
        static let beforehand = Sharing(.beforehand)
    }
}

/// Holds one shared instance, or does not any more.
///
/// The base class holds it until it is cleared. Subclass it for a lifetime of your own: ``load()`` says whether there still is
/// an instance, ``store(_:)`` gets each one that was created.
///
/// ```swift
/// final class Counted<Instance>: InstanceStorage<Instance>, @unchecked Sendable {
///     override func store(_ instance: Instance) {
///         super.store(instance)
///         print("made one more")
///     }
/// }
/// ```
///
/// - Note: Concurrency. All of it is called from any thread, and never under a lock. Only one thread at a time is between
///   ``prepare()`` and ``store(_:)``.
open class InstanceStorage<Instance>: @unchecked Sendable {
    // Unchecked, because an instance need not be Sendable; what threads share of the cell is safe from any thread.
    @usableFromInline
    let cell = MemoCell<Void, Instance>.make(())

    /// What is to be done when an instance goes; nil where there is nothing. Set before any thread shares the storage.
    @usableFromInline
    var disposals: Disposals?

    /// What tells the instances that were held one after the other apart, for those disposals. Written in `prepare`.
    @usableFromInline
    var mark: UInt32 = 0

    /// The disposal of what was stored last. Only whoever is between `prepare` and `store` uses it.
    @usableFromInline
    var lastDisposal: Disposal?

    /// Rises when what is being created at the moment is not for those who ask from then on.
    var generation: UInt32 { 0 }

    /// Makes an empty storage.
    ///
    /// - Complexity: Two allocations.
    /// - Note: Concurrency. From any thread.
    @inlinable
    public init() {}

    /// The instance, where there still is one.
    ///
    /// - Returns: The instance, or nil: then one is going to be created.
    /// - Complexity: Wait-free.
    /// - Note: Concurrency. From any thread.
    open func load() -> Instance? { cell.value }

    /// Called before an instance is created.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. One thread at a time.
    open func prepare() {}

    /// Keeps an instance that was created.
    ///
    /// - Parameter instance: The instance, complete.
    /// - Complexity: Constant, plus what it waits for lookups under way.
    /// - Note: Concurrency. One thread at a time.
    open func store(_ instance: Instance) { cell.assign(instance) }

    /// Lets go of the instance; its disposal hook runs before this returns.
    ///
    /// - Complexity: As ``store(_:)``, plus the hook.
    /// - Note: Concurrency. From any thread.
    open func clear() {
        cell.clear()
        disposals?.reset()
    }
}
