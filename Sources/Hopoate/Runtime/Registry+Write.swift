// Changing what is registered. Each of these is one atomic change for readers.

public import CRegistry

extension Registry {
    /// Pushes a registration onto the stack of its key.
    ///
    /// - Returns: Whether the registry took it. A sealed one does not.
    @inlinable
    func push<Service: ~Copyable>(_ registration: ServiceRegistration<Service>) -> Bool {
        let payload = Unmanaged.passRetained(registration)
        if hop_push(raw, registration.key.raw, payload.toOpaque()) { return true }
        payload.release()
        return false
    }

    /// Replaces the whole stack of a key by one registration.
    ///
    /// - Returns: As `push`.
    @usableFromInline
    func replace<Service: ~Copyable>(_ registration: ServiceRegistration<Service>) -> Bool {
        let payload = Unmanaged.passRetained(registration)
        if hop_replace(raw, registration.key.raw, payload.toOpaque(), releaseRegistration) { return true }
        payload.release()
        return false
    }

    /// Removes a registration, if it is there.
    func remove(_ registration: AnyServiceRegistration) {
        _ = hop_remove(
            raw, registration.key.raw, Unmanaged.passUnretained(registration).toOpaque(), releaseRegistration)
    }

    /// Removes all registrations.
    func removeAll() { hop_remove_all(raw, releaseRegistration) }

    /// Refuses `push` and `replace` from now on.
    func seal() { hop_seal(raw) }

    /// Whether it refuses them.
    var isSealed: Bool { hop_is_sealed(raw) }
}
