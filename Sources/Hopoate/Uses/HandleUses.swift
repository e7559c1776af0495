// Which services have resolved which others through handles.
//
// A lazy dependency, a provider or a property wrapper in a service resolves another service after its own one was created. So the order of
// creation does not tell that the one uses the other, and a shutdown would dispose of the used one first. A container therefore notes the
// use, by the keys of both services, when a handle has resolved something: a handle that caches does so when it fills its cache, and
// others the first time. UseSearch.swift reads the uses at the end.
//
// Invariant: a use is noted only if the container has a state, which it has as soon as an instance with a hook exists. If the instance that
// a handle has got has a hook, its disposal was recorded before.

/// The noted uses of the services of one container. Used under the lock of its state.
struct HandleUses: ContainerAttachment {
    struct Use: Hashable {
        let user: AnyServiceKey
        let used: AnyServiceKey
    }

    /// The identities keep the names of the keys alive (invariant J1 in Design.md).
    typealias Identities = (user: ServiceIdentity, used: ServiceIdentity)

    private var uses: [Use: Identities] = [:]
    /// The number of uses at which those of services without a registration are removed.
    private var limit = 32

    var isEmpty: Bool { uses.isEmpty }

    /// The uses. A list of its own, because the table changes later.
    var all: [Use] { Array(uses.keys) }

    /// Adds a use.
    ///
    /// - Returns: Whether it is time to remove those of services that are not registered any more.
    mutating func add(_ identities: Identities) -> Bool {
        uses[Use(user: identities.user.key, used: identities.used.key)] = identities
        return uses.count >= limit
    }

    /// Removes some uses, so that there are at most about twice as many as at the last removal.
    ///
    /// - Returns: Their identities. They end outside the lock, because the end of a name takes the lock of the names.
    mutating func remove(_ removed: [Use]) -> [Identities] {
        let identities = removed.compactMap { uses.removeValue(forKey: $0) }
        limit = max(32, 2 * uses.count)
        return identities
    }
}

extension OwningService {
    /// Notes that this service has resolved another one through a handle.
    ///
    /// - Parameters:
    ///   - container: The container of the handle.
    ///   - noted: Counts the notes of a handle that caches nothing; nil for one that caches.
    func noteUse(
        of used: @autoclosure () -> ServiceIdentity, in container: DependencyContainer, once noted: SharedCounter? = nil
    ) {
        if let noted, noted.value > 0 { return }
        guard let state = container.stateIfAny else { return }
        noted?.increment()
        guard state.withAttachment(HandleUses.self, { $0.add((identity, used())) }) else { return }
        // Names may come from clients. So the number of uses is bounded by that of the registrations.
        let wiring = Wiring(live: container)
        let gone = state.withAttachment(HandleUses.self, \.all).filter { use in
            wiring.newest(use.user) == nil || wiring.newest(use.used) == nil
        }
        withExtendedLifetime(state.withAttachment(HandleUses.self) { $0.remove(gone) }) {}
    }
}

extension DependencyContainer {
    /// The number of noted uses, for tests.
    package var notedUses: Int { stateIfAny?.withAttachmentIfAny(HandleUses.self, \.all.count) ?? 0 }
}
