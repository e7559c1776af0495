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
