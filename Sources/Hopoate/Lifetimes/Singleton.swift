extension Lifetime {
    /// One instance, created on first use and shared by all callers until the registration ends.
    ///
    /// The factory gets the container that holds the registration, even if the resolve call goes to a child. So the instance
    /// never keeps a service of the child. The factory also sees that container as ``DependencyContainer/shared``, and none of
    /// its caller's task-locals. If the factory resolves a ``scoped`` service from that container, the call fails with
    /// ``DependencyError/Reason/captive``.
    ///
    /// Registering traps if the factory takes arguments: the first caller's arguments would be reused for every later caller.
    /// Use ``keyed`` for one instance per argument value, or another lifetime from <doc:Lifetimes>.
    ///
    /// If the factory throws, nothing is kept, and the next resolve call tries again. A disposal hook runs when the registration
    /// is removed or the container ends.
    public static let singleton = Lifetime("singleton", policy: Singleton(), isPermanent: true)
}

private struct Singleton: LifetimePolicy {}
