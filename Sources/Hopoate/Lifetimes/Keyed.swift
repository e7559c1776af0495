extension Lifetime {
    /// One instance per argument value, shared by all resolve calls with equal arguments until the registration ends.
    ///
    /// ```swift
    /// container.register(Tenant.self, lifetime: .keyed) { (_, id: Int) in Tenant(id: id) }
    /// let one = container.resolve(Tenant.self, arguments: 1)  // the same instance in each call
    /// ```
    ///
    /// Registering traps if the factory takes no arguments, or if an argument is not `Hashable`. Resolving with a value that is
    /// not equal to itself (such as NaN) fails with ``DependencyError/Reason/invalid``.
    ///
    /// The registration keeps an instance for every argument value ever used, until it is removed or its container is shut down.
    /// Do not key by an unbounded set of values, such as request IDs: use ``keyed(limit:)`` or ``weak`` for these. A failed creation
    /// leaves nothing behind.
    ///
    /// Each instance is created with the container that holds the registration, once for all callers. Disposal hooks run when the
    /// registration ends.
    ///
    /// Cost: each resolve call hashes and compares the arguments. From its third use on, an instance is found without a lock. If the
    /// arguments are an `Int`, for example, threads then contend on nothing but the reference count of the instance.
    public static let keyed = Lifetime("keyed", policy: Keyed(), isPermanent: true)

    /// One instance per argument value, for a limited number of values. Above the limit, the least recently used instances leave.
    ///
    /// ```swift
    /// container.register(Tenant.self, lifetime: .keyed(limit: 1_000)) { (_, id: Int) in
    ///     Tenant(id: id)
    /// } onDispose: { tenant in
    ///     tenant.close()
    /// }
    /// ```
    ///
    /// Use it if clients choose the values: they cannot exhaust memory. Otherwise it is the same as ``keyed``.
    ///
    /// When a new instance exceeds the limit, the registration releases the instance that was used least recently, and runs its
    /// disposal hook. The next resolve call with these arguments creates another instance. The hook runs once, on the thread that
    /// has resolved the new instance, after its creation and before the call returns. It may resolve services, including this one. An
    /// asynchronous hook runs in a task of its own.
    ///
    /// - Important: The library does not know how long a caller uses an instance. The hook also runs if callers still hold the instance. If
    ///   it closes something that they use, choose a limit well above the number of values in use at once, or close it in the
    ///   deinitializer instead.
    ///
    /// A service that lives longer, such as a singleton, must not keep an instance. If its factory resolves one, the call fails with
    /// ``DependencyError/Reason/captive``. Let it take a ``DependencyProvider``, or the container's
    /// ``DependencyContainer/provider(_:named:arguments:_:fileID:line:)``, and resolve the instance at each use.
    ///
    /// "Used" means resolved. The order of two uses counts only if another instance was created between them. If it was not, the
    /// instance that was created first leaves first. So resolving an instance that exists writes no shared memory, except for the first
    /// time after a creation.
    ///
    /// An instance stays while it is being created, and while a call is about to return it. Such instances may exceed the limit for a
    /// moment: a factory that resolves the same service with other arguments, and so on, creates all of them. When the last of these
    /// calls returns, there are at most `limit` instances again. Failed creations do not count.
    ///
    /// - Parameter limit: The number of instances that the registration keeps. Registering traps if it is less than 1.
    /// - Returns: The lifetime.
    /// - Complexity: Constant if the instance exists. Creating one is amortised O(log n) in the number of instances, also while clients
    ///   send thousands of values at once, and so many instances exceed the limit.
    public static func keyed(limit: Int) -> Lifetime {
        Lifetime("keyed(limit: \(limit))", policy: Keyed(limit: limit), isPermanent: true, limit: limit)
    }
}

private struct Keyed: LifetimePolicy {
    var limit: Int?

    var sharing: Lifetime.Sharing { .arguments }
    var mayEndEarly: Bool { limit != nil }
}
