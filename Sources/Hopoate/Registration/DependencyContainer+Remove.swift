extension DependencyContainer {
    /// Takes a registration out, wherever in the stack of its type it is; the one below is found again.
    ///
    /// ```swift
    /// let registration = container.register(Polite(), for: (any Greeter).self)
    /// container.remove(registration)
    /// ```
    ///
    /// Removing twice, or from another container, does nothing; so does removing after `shutdown()`. A sealed container lets go too.
    /// When this returns, the container has let go of the service; drop the token too, and it is deinitialized, unless somebody
    /// resolved and kept it. Two things put that off: a closure of ``withService(_:named:fileID:line:_:)-1uwaq`` that borrows from this container
    /// and began before, until the last such closure ends; and a decorator of the service, until it is removed too.
    ///
    /// Callers for whom the service is being created meanwhile get it, since they asked before; its disposal hook runs as soon as it is
    /// complete.
    ///
    /// - Parameter serviceRegistration: The token.
    /// - Complexity: Linear in the number of newer registrations of the type; waits for the lookups under way, a few
    ///   nanoseconds each, and for nobody's code.
    /// - Note: Concurrency. From any thread, also inside creators, deinitializers and closures. No resolve that begins after
    ///   the return finds it.
    public func remove<Service: ~Copyable>(_ serviceRegistration: ServiceRegistration<Service>) {
        remove(anyOf: serviceRegistration)
    }

    /// Takes everything out that is registered in this container, in one step.
    ///
    /// ```swift
    /// container.removeAll()
    /// ```
    ///
    /// The container can be used again; its parent, where it has one, is left alone.
    ///
    /// - Complexity: Linear in what it held.
    /// - Note: Concurrency. As ``remove(_:)``. Every resolve finds what was there, or nothing.
    public func removeAll() {
        let disposals = stateIfAny?.takeDisposals() ?? []
        registry.removeAll()
        for disposal in disposals { disposal.run() }
    }

    /// Takes a registration of whatever type out.
    func remove(anyOf registration: AnyServiceRegistration) {
        registry.remove(registration)
        if isWatched { noteRemoval(of: registration) }
    }
}
