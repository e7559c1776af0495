extension Lifetime {
    /// One instance in each container: registered in the application's container, it is one for each request that has a child
    /// of its own.
    ///
    /// It is made with the container that was asked, and kept by it: let go of that, and it is gone.
    public static let scoped = Lifetime("scoped", policy: Scoped(), isPermanent: true)
}

private struct Scoped: LifetimePolicy {
    var sharing: Lifetime.Sharing { .container }
}
