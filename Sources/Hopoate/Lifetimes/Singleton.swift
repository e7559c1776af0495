extension Lifetime {
    /// One instance, made when it is first asked for, and kept for as long as the registration.
    ///
    /// It is made with the container that holds the registration, also where a child was asked, so that it never keeps what
    /// belongs to the child.
    public static let singleton = Lifetime("singleton", policy: Singleton(), isPermanent: true)
}

private struct Singleton: LifetimePolicy {}
