extension Lifetime {
    /// One instance until the scope is reset, shared by all callers. The next resolve call after a reset creates another one.
    ///
    /// ```swift
    /// let session = DependencyScope("session")
    /// container.register(Cart.self, lifetime: .cached(in: session)) { _ in Cart() }
    /// session.reset()  // the next resolve call creates another cart
    /// ```
    ///
    /// The registration keeps the instance in memory until the scope is reset or the registration is removed. Both run the
    /// disposal hook. The factory gets the container that holds the registration, as for a ``singleton``.
    ///
    /// If the factory takes arguments, there is one instance per argument value until the scope is reset. A reset ends all of them.
    /// The arguments must be `Hashable`; <doc:Lifetimes> has the rules.
    ///
    /// A service that lives longer, such as a singleton, must not keep an instance, which a reset would end while the service uses it. If
    /// its factory resolves one, the call fails with ``DependencyError/Reason/captive``. Let it take a ``DependencyProvider``, and resolve
    /// the instance at each use; or allow it with ``DependencyScope/init(_:allowsCaptives:)``.
    ///
    /// Cost: a resolve call also compares the generation of the instance with that of the scope.
    ///
    /// - Parameter scope: The scope whose resets end the instance.
    /// - Returns: The lifetime.
    /// - Complexity: Constant.
    public static func cached(in scope: DependencyScope) -> Lifetime {
        Lifetime("cached in \(scope.name)", policy: Cached(scope: scope))
    }
}

private struct Cached: LifetimePolicy {
    let scope: DependencyScope

    var mayEndEarly: Bool { !scope.allowsCaptives }

    func makeStorage<Instance>(for type: Instance.Type) -> InstanceStorage<Instance> {
        let storage = CachedStorage<Instance>(scope)
        scope.add(storage)
        return storage
    }
}

/// A group of cached services that are reset together. See ``Lifetime/cached(in:)``.
///
/// - Note: Concurrency. Thread-safe. Resets may run at the same time as creations and other resets.
public final class DependencyScope: Sendable {
    /// The name of the scope in lists and messages.
    let name: String
    /// Whether services that live longer may keep instances of this scope.
    fileprivate let allowsCaptives: Bool

    fileprivate struct Member {
        weak var storage: (any Resettable)?
    }

    /// The number of resets so far.
    fileprivate let generation = SharedCounter()
    // The key is the address of the storage. A storage removes its entry before it is freed.
    private let members = Locked<[ObjectIdentifier: Member]>([:])

    /// Creates a scope.
    ///
    /// ```swift
    /// let session = DependencyScope("session")
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the scope in lists and messages.
    ///   - allowsCaptives: Whether services that live longer than the next reset, such as singletons, may keep instances of this scope.
    ///     Use it for a scope that only tests reset, between the uses of these services.
    public init(_ name: String, allowsCaptives: Bool = false) {
        self.name = name
        self.allowsCaptives = allowsCaptives
    }

    /// Releases all instances in this scope and runs their disposal hooks before it returns.
    ///
    /// ```swift
    /// session.reset()
    /// ```
    ///
    /// A resolve call that begins after this function has returned never gets an instance whose creation began before the
    /// reset. Callers that were waiting for such an instance still get it, and it is disposed of as soon as it is complete. There is
    /// one exception: a factory may get an instance that exists but waits for its completion (`afterCreation`).
    ///
    /// - Complexity: O(n) in the number of registrations in the scope, counting each argument value, plus the hooks.
    public func reset() {
        generation.increment()
        let current = generation.value
        let storages = members.withLock { $0.values.compactMap(\.storage) }
        for storage in storages { storage.reset(before: current) }
    }

    fileprivate func add<Instance>(_ storage: CachedStorage<Instance>) {
        let member = Member(storage: storage)
        members.withLock { $0[ObjectIdentifier(storage)] = member }
    }

    fileprivate func remove(_ storage: ObjectIdentifier) {
        _ = members.withLock { $0.removeValue(forKey: storage) }
    }
}

/// A storage that can lose its instance while its registration stays.
private protocol Resettable: AnyObject {
    /// Releases an instance whose creation began before this generation.
    func reset(before generation: UInt32)
}

/// Holds an instance together with the generation that the scope had before the creation began. So an instance whose creation
/// began before a reset is never found after it.
// Unchecked as the base class.
private final class CachedStorage<Instance>: InstanceStorage<Instance>, Resettable, @unchecked Sendable {
    private struct Entry {
        let generation: UInt32
        let instance: Instance
    }

    private let scope: DependencyScope
    private let entry = MemoCell<Void, Entry>.make(())

    init(_ scope: DependencyScope) {
        self.scope = scope
    }

    deinit { scope.remove(ObjectIdentifier(self)) }

    override func load() -> Instance? {
        guard let entry = entry.value, entry.generation == scope.generation.value else { return nil }
        return entry.instance
    }

    override var generation: UInt32 { scope.generation.value }

    override func prepare() { mark = scope.generation.value }

    override func store(_ instance: Instance) {
        // Under its lock, the cell compares with the generation of the scope. `reset(before:)` counts first and then takes that
        // lock. So either this thread sees the reset, or the reset sees the entry.
        entry.assign(Entry(generation: mark, instance: instance)) { scope.generation.value == $0.generation }
    }

    override func clear() { entry.clear() }

    func reset(before generation: UInt32) {
        entry.clear { $0.generation < generation }
        disposals.value?.reset(before: generation)
    }
}
