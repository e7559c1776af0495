/// Storage for one shared instance, which may be empty.
///
/// The base class keeps the instance until it is cleared. Subclass it for a lifetime of your own. ``load()`` returns the instance
/// if there still is one. ``store(_:)`` receives each new instance.
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
/// - Note: Concurrency. The library calls the methods on any thread, never under a lock. Only one thread at a time runs the
///   steps from ``prepare()`` to ``store(_:)``.
open class InstanceStorage<Instance>: @unchecked Sendable {
    // Unchecked, because an instance need not be Sendable. The cell, which threads share, is thread-safe.
    @usableFromInline
    let cell = MemoCell<Void, Instance>.make(())

    /// The disposals of the instances; empty if there is no hook. The library fills it when it has got the storage from its policy.
    // In a cell, because a policy may already have shown the storage to another thread, which clears it.
    @usableFromInline
    let disposals = MemoCell<Void, Disposals>.make(())

    /// Tells apart the instances that were held one after the other, for their disposals. Written in `prepare`.
    @usableFromInline
    var mark: UInt32 = 0

    /// The disposal of the instance that was stored last; nil for an entry of a table, which has it itself. Used only between `prepare` and
    /// `store`.
    @usableFromInline
    var lastDisposal: Disposal?

    /// Increases when later callers must not get the instance that is being created now.
    var generation: UInt32 { 0 }

    /// Creates an empty storage.
    ///
    /// - Complexity: Three allocations.
    @inlinable
    public init() {}

    /// Returns the instance, if there still is one.
    ///
    /// The library also calls it outside of resolve calls: for lists and, if the factory takes arguments, to find storages that have
    /// lost their instance. It releases these.
    ///
    /// - Returns: The instance; nil if there is none. Then the library creates one.
    /// - Complexity: Wait-free.
    open func load() -> Instance? { cell.value }

    /// Runs before an instance is created.
    ///
    /// - Complexity: Constant.
    open func prepare() {}

    /// Stores a new instance.
    ///
    /// - Parameter instance: The complete instance.
    /// - Complexity: Constant, plus the wait for lookups in progress.
    open func store(_ instance: Instance) { cell.assign(instance) }

    /// Releases the instance and runs its disposal hook before it returns.
    ///
    /// - Complexity: That of ``store(_:)``, plus the hook. If there is a hook, also O(n) in the number of instances of the registration,
    ///   which has several only if the factory takes arguments.
    open func clear() {
        cell.clear()
        disposals.value?.reset(ObjectIdentifier(self))
    }

    /// The reason why the storage cannot keep an instance; nil if it can.
    func objection(to instance: Instance) -> String? { nil }
}
