// Changing the registrations. Readers see each of these changes as one atomic step.

public import CRegistry

extension Registry {
    /// Pushes a registration onto the stack of its key.
    ///
    /// - Returns: Whether the registry accepts it. A sealed one does not.
    @inlinable
    func push<Service: ~Copyable>(_ registration: ServiceRegistration<Service>) -> Bool {
        registration.assignedNumber = hop_next_number(raw)
        let payload = Unmanaged.passRetained(registration)
        if hop_push(raw, registration.key.raw, payload.toOpaque()) { return true }
        payload.release()
        return false
    }

    /// Replaces the whole stack of a key by one registration.
    ///
    /// - Returns: Whether the registry accepts it. A sealed one does not.
    @usableFromInline
    func replace<Service: ~Copyable>(_ registration: ServiceRegistration<Service>) -> Bool {
        registration.assignedNumber = hop_next_number(raw)
        let payload = Unmanaged.passRetained(registration)
        if hop_replace(raw, registration.key.raw, payload.toOpaque(), releaseRegistration) {
            state?.noteRemoval()
            return true
        }
        payload.release()
        return false
    }

    /// Removes a registration, if it is in the registry.
    func remove(_ registration: AnyServiceRegistration) {
        _ = hop_remove(
            raw, registration.key.raw, Unmanaged.passUnretained(registration).toOpaque(), releaseRegistration)
        state?.noteRemoval()
    }

    /// Removes all registrations.
    func removeAll() {
        hop_remove_all(raw, releaseRegistration)
        state?.noteRemoval()
    }

    /// Returns a number that is greater than those of all earlier registrations, and smaller than those of all later ones.
    func nextNumber() -> Int { hop_next_number(raw) }

    /// Makes the registry refuse `push` and `replace` from now on.
    func seal() { hop_seal(raw) }

    /// Whether the registry refuses `push` and `replace`.
    var isSealed: Bool { hop_is_sealed(raw) }
}
