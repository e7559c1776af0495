extension Lifetime {
    /// A new instance per `resolve` call, shared by nobody.
    ///
    /// The container keeps no instance. So registering traps if there is a disposal hook. The factory may take arguments.
    public static let transient = Lifetime("transient", policy: Transient())
}

private struct Transient: LifetimePolicy {
    var ownsInstances: Bool { false }
    var sharing: Lifetime.Sharing { .nobody }
}
