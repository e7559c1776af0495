extension Lifetime {
    /// One instance in the course of one outermost request: all that is made for it share the instance, and the next request
    /// gets another one. Nothing of it is kept afterwards.
    public static let graph = Lifetime("graph", policy: Graphical())
}

private struct Graphical: LifetimePolicy {
    var ownsInstances: Bool { false }
    var sharing: Lifetime.Sharing { .graph }
}
