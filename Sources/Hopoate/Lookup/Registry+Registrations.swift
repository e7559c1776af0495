// Reading and changing registrations, rather than reading instances: for `register`, lists, validation and messages.

// MARK: - Reading

extension Registry {
    /// Returns whether a key has a registration.
    @inlinable
    @inline(__always)
    func contains<Service: ~Copyable>(_ key: ServiceKey<Service>) -> Bool { contains(key.erased) }

    /// Returns the newest registration of a key; nil if there is none.
    @usableFromInline
    func newest<Service>(_ key: ServiceKey<Service>) -> ServiceRegistration<Service>? {
        newest(key.erased, as: ServiceRegistration<Service>.self)
    }

    /// Returns the newest registration of a key; nil if there is none.
    func newest(_ key: AnyServiceKey) -> AnyServiceRegistration? { newest(key, as: AnyServiceRegistration.self) }

    /// Passes the registrations of a key to a closure, newest first. They are a snapshot.
    @inlinable
    @inline(__always)
    func mapStack<Service, Output>(
        _ key: ServiceKey<Service>, _ transform: (ServiceRegistration<Service>) -> Output
    ) -> [Output] {
        retainedPayloads(key.erased).map { payload in
            // Balances the reference that the payload has got.
            transform(Uncounted<ServiceRegistration<Service>>(payload: payload).takeRetained())
        }
    }

    /// Returns a snapshot of the registrations of a key, newest first.
    func stack(_ key: AnyServiceKey) -> [AnyServiceRegistration] { Self.registrations(retainedPayloads(key)) }

    /// The same as the other form; empty if there are more than a limit.
    func stack(_ key: AnyServiceKey, upTo limit: Int) -> [AnyServiceRegistration] {
        var limit = limit
        return Self.registrations(retainedPayloads(key, upTo: &limit) ?? [])
    }

    private static func registrations(_ payloads: [UnsafeRawPointer]) -> [AnyServiceRegistration] {
        // Balances the reference that each payload has got.
        payloads.map { Uncounted<AnyServiceRegistration>(payload: $0).takeRetained() }
    }

    /// Returns all registrations, except for scoped instances, newest first. Those of one key are a snapshot.
    func registrations() -> [AnyServiceRegistration] {
        keys().filter(\.isOfRegistrations).flatMap { stack($0) }.sorted { $0.number > $1.number }
    }

    /// Returns some keys that have a registration, in no order, and whether they are all.
    func someRegisteredKeys(atMost limit: Int) -> (keys: [AnyServiceKey], isComplete: Bool) {
        let (keys, isComplete) = someKeys(atMost: limit)
        return (keys.filter(\.isOfRegistrations), isComplete)
    }
}

// MARK: - Changing

// Readers see each of these changes as one atomic step.

extension Registry {
    /// Pushes a registration onto the stack of its key.
    ///
    /// - Returns: Whether the registry accepts it. A sealed one does not.
    @usableFromInline
    func push(_ registration: AnyServiceRegistration) -> Bool {
        push(registration, under: registration.key, noteNumber)
    }

    /// Replaces the whole stack of a key by one registration.
    ///
    /// - Returns: Whether the registry accepts it. A sealed one does not.
    @usableFromInline
    func replace(_ registration: AnyServiceRegistration) -> Bool {
        // For validation only: another thread may register or remove the service meanwhile.
        registration.replacesNothing = !contains(registration.key)
        guard replace(registration, under: registration.key, noteNumber, releaseRegistration) else { return false }
        state?.noteRemoval()
        return true
    }

    /// Removes a registration, if it is in the registry.
    func remove(_ registration: AnyServiceRegistration) {
        // That of another registry may have the same number.
        remove(registration, under: registration.key, number: registration.number, releaseRegistration)
        state?.noteRemoval()
    }

    /// Removes the registration of a key with a number, if it is still in the registry.
    func remove(_ key: AnyServiceKey, number: Int) {
        remove(nil, under: key, number: number, releaseRegistration)
        state?.noteRemoval()
    }

    /// Removes all registrations.
    func removeAll() {
        removeAll(releaseRegistration)
        state?.noteRemoval()
    }

    /// Releases all registrations and the registry. The process-wide registry is never destroyed.
    func destroy() { destroy(releaseRegistration) }
}

/// Notes the number of a registration. Called under the registry's lock, before any lookup can find the registration.
func noteNumber(_ payload: UnsafeRawPointer, _ number: Int) {
    Uncounted<AnyServiceRegistration>(payload: payload).with { $0.number = number }
}

/// Releases a registration that the registry had retained, and ends its disposals. Called outside locks and read sections.
@inline(__always)  // Into the function that C calls, so that there is one call, not two.
func releaseRegistration(_ payload: UnsafeRawPointer) {
    let registration = Uncounted<AnyServiceRegistration>(payload: payload).takeRetained()
    registration.disposals?.end()
}

/// Releases a registration that a view has shown and another registry holds, or of which the disposals have been taken.
func releaseOnly(_ payload: UnsafeRawPointer) {
    _ = Uncounted<AnyServiceRegistration>(payload: payload).takeRetained()
}

/// Releases a registration that a layer has shown, and lets its disposals go.
func releaseAndLetGo(_ payload: UnsafeRawPointer) {
    Uncounted<AnyServiceRegistration>(payload: payload).takeRetained().disposals?.letGo()
}
