extension Lifetime {
    /// A new instance for each request.
    public static let transient = Lifetime("transient", policy: Transient())
}

private struct Transient: LifetimePolicy {
    var ownsInstances: Bool { false }
    var sharing: Lifetime.Sharing { .nobody }
}
