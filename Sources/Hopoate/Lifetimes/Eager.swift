extension Lifetime {
    /// One instance, created inside `register` and shared by all callers until the registration ends.
    ///
    /// The factory runs on the thread that registers, before the registration can be found. If it throws, `register` traps.
    ///
    /// Registering also traps if the factory is asynchronous or takes arguments. For an asynchronous service use ``singleton``
    /// and ``DependencyContainer/warmUp(isolation:)``.
    ///
    /// A disposal hook runs when the registration is removed or the container ends.
    public static let eager = Lifetime("eager", policy: Eager())
}

private struct Eager: LifetimePolicy {
    var sharing: Lifetime.Sharing { .register }
}
