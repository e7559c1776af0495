extension Lifetime {
    /// One instance per container, shared by all resolve calls through that container until the container ends.
    ///
    /// Register the service in the application's container. Then each HTTP request with a child container gets an instance of
    /// its own. The factory gets the container of the resolve call, so it can resolve services that only the child has.
    ///
    /// A service that all callers share, such as a singleton, must not keep a scoped one: that is a captive dependency. If the
    /// factory of such a service resolves it from its own container, the call fails with ``DependencyError/Reason/captive``.
    ///
    /// If the factory takes arguments, there is one instance per argument value and container. The arguments must be `Hashable`;
    /// <doc:Lifetimes> has the rules.
    ///
    /// As long as the registration exists, a child keeps its instance in memory until the child is released or shut down. The container
    /// that holds the registration keeps its own instance until the registration is removed. Then the disposal hook runs. After a removal,
    /// children may release their instances as well, except for those with a disposal hook. So a child that outlives many registrations
    /// keeps a bounded number of their instances: at most 1,024, and about as many as it has others.
    ///
    /// Cost: a child container has a slot of two words for each of the first 1,024 scoped registrations. It is made with at most 32 slots, and
    /// gets further ones, 32 at a time, when they are used. Beyond 1,024, for registrations that are newer than the child, and for
    /// instances with disposal hooks, the first resolve call in a container adds an entry to its table.
    public static let scoped = Lifetime("scoped", policy: Scoped(), isPermanent: true)
}

private struct Scoped: LifetimePolicy {
    var sharing: Lifetime.Sharing { .container }
}
