extension Lifetime {
    /// One instance, kept until the scope is reset.
    ///
    /// ```swift
    /// let session = DependencyScope("session")
    /// container.register(Cart.self, lifetime: .cached(in: session)) { _ in Cart() }
    /// session.reset()  // the next request makes a new one
    /// ```
    ///
    /// - Parameter scope: The scope.
    /// - Returns: The lifetime.
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public static func cached(in scope: DependencyScope) -> Lifetime {
        Lifetime("cached in \(scope.name)", policy: Cached(scope: scope))
    }
}

private struct Cached: LifetimePolicy {
    let scope: DependencyScope

    func makeStorage<Instance>(for type: Instance.Type) -> InstanceStorage<Instance> {
        let storage = CachedStorage<Instance>(scope)
        scope.add(storage)
        return storage
    }
}

/// A scope of your own: what is registered as ``Lifetime/cached(in:)`` lives until it is reset.
///
/// - Note: Concurrency. From any thread.
public final class DependencyScope: Sendable {
    /// What the scope is called in lists and messages.
    public let name: String

    fileprivate struct Member {
        weak var storage: (any Resettable)?
    }

    /// Counts the resets.
    fileprivate let generation = SharedCounter()
    // By the address of the storage, which takes its entry out before it is freed.
    private let members = Locked<[ObjectIdentifier: Member]>([:])

    /// Makes a scope.
    ///
    /// ```swift
    /// let session = DependencyScope("session")
    /// ```
    ///
    /// - Parameter name: What it is called in lists and messages.
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public init(_ name: String) {
        self.name = name
    }

    /// Lets go of all instances in this scope; their disposal hooks run before this returns.
    ///
    /// ```swift
    /// session.reset()
    /// ```
    ///
    /// - Complexity: Linear in the number of registrations in the scope.
    /// - Note: Concurrency. From any thread. No request that begins after the return gets an instance whose creation began
    ///   before the call.
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

/// Storages whose instance may be taken away from outside while the registration stays.
private protocol Resettable: AnyObject {
    /// Lets go of what was created before the scope reached a generation.
    func reset(before generation: UInt32)
}

/// The generation of the scope is noted before an instance is made, and kept with it: so one whose creation began before a
/// reset is never found after it.
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
        // The scope is looked at under the lock of the cell, which `reset(before:)` takes after it has counted: either this sees
        // the reset, or the reset sees the entry.
        entry.assign(Entry(generation: mark, instance: instance)) { scope.generation.value == $0.generation }
    }

    override func clear() { entry.clear() }

    func reset(before generation: UInt32) {
        entry.clear { $0.generation < generation }
        disposals?.reset(before: generation)
    }
}
