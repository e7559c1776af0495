extension Lifetime {
    /// One instance for each value of the arguments, which are compared by equality, and kept for as long as the registration.
    ///
    /// ```swift
    /// container.register(Tenant.self, lifetime: .keyed) { (_, id: Int) in Tenant(id: id) }
    /// let one = container.resolve(Tenant.self, arguments: 1)  // the same instance each time
    /// ```
    ///
    /// All arguments have to be `Hashable`.
    public static let keyed = Lifetime("keyed", policy: Keyed())
}

private struct Keyed: LifetimePolicy {
    var sharing: Lifetime.Sharing { .arguments }
}
