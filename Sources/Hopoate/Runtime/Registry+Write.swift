// Changing the registrations. Readers see each of these changes as one atomic step.

internal import CRegistry

extension Registry {
    /// Pushes a registration onto the stack of its key.
    ///
    /// - Returns: Whether the registry accepts it. A sealed one does not.
    @usableFromInline
    func push(_ registration: AnyServiceRegistration) -> Bool {
        let payload = Unmanaged.passRetained(registration)
        if hop_push(raw, registration.key.raw, payload.toOpaque(), noteNumber) { return true }
        payload.release()
        return false
    }

    /// Replaces the whole stack of a key by one registration.
    ///
    /// - Returns: Whether the registry accepts it. A sealed one does not.
    @usableFromInline
    func replace(_ registration: AnyServiceRegistration) -> Bool {
        let payload = Unmanaged.passRetained(registration)
        if hop_replace(raw, registration.key.raw, payload.toOpaque(), noteNumber, releaseRegistration) {
            state?.noteRemoval()
            return true
        }
        payload.release()
        return false
    }

    /// Removes a registration, if it is in the registry.
    func remove(_ registration: AnyServiceRegistration) {
        // That of another registry may have the same number.
        _ = hop_remove_numbered(
            raw, registration.key.raw, registration.number, Unmanaged.passUnretained(registration).toOpaque(),
            releaseRegistration)
        state?.noteRemoval()
    }

    /// Removes the registration of a key with a number, if it is still in the registry.
    func remove(_ key: AnyServiceKey, number: Int) {
        _ = hop_remove_numbered(raw, key.raw, number, nil, releaseRegistration)
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

/// Notes the number of a registration. Called under the registry's lock, before any lookup can find the registration.
private func noteNumber(_ payload: UnsafeRawPointer, _ number: Int) {
    Unmanaged<AnyServiceRegistration>.fromOpaque(payload)._withUnsafeGuaranteedRef { $0.number = number }
}
