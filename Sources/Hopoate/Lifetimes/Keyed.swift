extension Lifetime {
    /// One instance per argument value, shared by all resolve calls with equal arguments until the registration ends.
    ///
    /// ```swift
    /// container.register(Tenant.self, lifetime: .keyed) { (_, id: Int) in Tenant(id: id) }
    /// let one = container.resolve(Tenant.self, arguments: 1)  // the same instance in each call
    /// ```
    ///
    /// Registering traps if the factory takes no arguments, or if an argument is not `Hashable`. Resolving with a value that is
    /// not equal to itself (such as NaN) fails with ``DependencyError/Reason/invalid``.
    ///
    /// The registration keeps an instance for every argument value ever used, until it is removed or its container is shut down.
    /// Do not key by an unbounded set of values, such as request IDs. A failed creation leaves nothing behind.
    ///
    /// Each instance is created with the container that holds the registration, once for all callers. Disposal hooks run when the
    /// registration ends.
    ///
    /// Cost: each resolve call hashes and compares the arguments, and briefly takes a lock of the registration.
    public static let keyed = Lifetime("keyed", policy: Keyed(), isPermanent: true)
}

private struct Keyed: LifetimePolicy {
    var sharing: Lifetime.Sharing { .arguments }
}
