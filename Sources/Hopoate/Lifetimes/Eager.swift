extension Lifetime {
    /// One instance, made inside `register`, before the registration can be found.
    public static let eager = Lifetime("eager", policy: Eager())
}

private struct Eager: LifetimePolicy {
    var sharing: Lifetime.Sharing { .beforehand }
}
