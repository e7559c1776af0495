extension Lifetime {
    /// One instance per outermost resolve call and container, shared by the services that this call creates for its caller. The next
    /// outermost call gets another one.
    ///
    /// It suits two parts of one result that must share an object.
    ///
    /// A service that all callers share, such as a singleton, has an object graph of its own. So it never gets the instance of one caller.
    ///
    /// Registering traps if there is a disposal hook: the container does not own the instance. The container keeps nothing once the
    /// outermost call has returned.
    ///
    /// If the factory takes arguments, there is one instance per argument value and outermost call. The arguments must be
    /// `Hashable`; <doc:Lifetimes> has the rules.
    ///
    /// Cost: each resolve call looks the instance up in a table that lives as long as the outermost call.
    public static let graph = Lifetime("graph", policy: Graphical(), isPermanent: true)
}

private struct Graphical: LifetimePolicy {
    var ownsInstances: Bool { false }
    var sharing: Lifetime.Sharing { .graph }
}
