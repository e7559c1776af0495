extension DependencyContainer {
    /// Removes a registration, whether or not it is shadowed. If it was the newest one, the one below is found again.
    ///
    /// ```swift
    /// let registration = container.register(Polite(), for: (any Greeter).self)
    /// container.remove(registration)
    /// ```
    ///
    /// Does nothing if the registration is already removed, belongs to another container, or the container is shut down. Works in a sealed
    /// container too.
    ///
    /// No resolve call that begins after this function has returned finds the registration. By then, the container has released the service
    /// and run its disposal hooks. The instance is deinitialized when you drop the token, unless a caller still holds it. Two things delay
    /// the hooks and the release:
    /// - closures of ``withService(_:named:fileID:line:_:)-1uwaq`` that already borrow this service, until the last of them ends;
    /// - decorators of the service, until the last of them is removed.
    ///
    /// If the service is being created at the moment, the callers that wait for it still get the instance. Its disposal hook runs as soon
    /// as the instance is complete.
    ///
    /// - Parameter serviceRegistration: The token of the registration.
    /// - Complexity: Amortised O(log n) in the number of registrations of the type and name. Waits for lookups in progress, a few nanoseconds
    ///   each, but never for user code.
    public func remove<Service: ~Copyable>(_ serviceRegistration: ServiceRegistration<Service>) {
        remove(anyOf: serviceRegistration)
    }

    /// Atomically removes all registrations of this container.
    ///
    /// ```swift
    /// container.removeAll()
    /// ```
    ///
    /// The container can be used again, and its parents stay as they are. Disposal hooks run under the same rules as for ``remove(_:)``, in
    /// the reverse order of creation.
    ///
    /// - Complexity: O(n) in the number of registrations and instances, plus the hooks. It waits in the same way as
    ///   ``remove(_:)``.
    public func removeAll() {
        // The state of a view is that of its container.
        let state = isView ? nil : stateIfAny
        let disposals = state.map { UseSearch.order(of: $0.takeDisposals(areAwaited: true), in: self) } ?? []
        registry.removeAll()
        if let generations {
            generations.removeAll()
            if !hasEnded { renewLayer() }
        }
        for disposal in disposals { disposal.run(in: state) }
    }

    /// Removes a registration of any type.
    func remove(anyOf registration: AnyServiceRegistration) {
        registry.remove(registration)
        generations?.remove(registration)
        if isWatched { noteRemoval(of: registration.key, number: registration.number) }
    }
}
