// The failures of creations, for health checks.
//
// A check never creates a service. So it has to know whether an instance is missing because nobody has needed it yet, or because it could
// not be created. A container records the last failed creation of each of its shared services:
//
//   a creation fails, or the group of its completion   the failure is noted, before the next creation begins
//   another creation begins                            the failure stays: the service does not exist yet
//   that creation succeeds                             the instance exists, so a check runs and ignores the failure
//   the instance leaves (weak, cached, custom)         its creation has removed the failure
//   the registration leaves                            nobody finds its factory any more; a later failure removes the entry
//
// Only failures write. A success looks for an earlier failure only if the lifetime can lose its instance. Otherwise the instance stays as
// long as the registration, so the failure is never read again.
//
// A service with arguments has an instance for each value, and cannot be checked. So its failures are not noted.

/// The last failures of creations in one container. Used under the lock of its state.
struct FailedCreations: ContainerAttachment {
    private struct Entry {
        // Weak, so that the entry does not keep the factory of a removed registration alive.
        weak var factory: AnyServiceFactory?
        let error: DependencyError
    }

    /// The references that a change has dropped. Released outside the lock, because they may be the last ones to objects of the user.
    struct Dropped {
        fileprivate var errors: [DependencyError] = []
        fileprivate var factories: [AnyServiceFactory] = []
    }

    // The key is the address of the factory. The weak reference tells whether another one has the address by now.
    private var entries: [ObjectIdentifier: Entry] = [:]
    /// The number of entries at which those of removed registrations are removed.
    private var limit = 8

    /// The failure of the last creation; nil if that did not fail. The caller holds the factory.
    subscript(factory: AnyServiceFactory) -> DependencyError? {
        guard let entry = entries[ObjectIdentifier(factory)], entry.factory === factory else { return nil }
        return entry.error
    }

    /// Adds a failure. The caller holds the factory.
    mutating func note(_ error: DependencyError, of factory: AnyServiceFactory) -> Dropped {
        var dropped = Dropped()
        if entries.count >= limit {
            for (key, entry) in entries {
                if let factory = entry.factory {
                    dropped.factories.append(factory)
                } else {
                    entries[key] = nil
                    dropped.errors.append(entry.error)
                }
            }
            // So that the cost of a failure is constant on average.
            limit = max(8, 2 * entries.count)
        }
        let last = entries.updateValue(Entry(factory: factory, error: error), forKey: ObjectIdentifier(factory))
        if let last { dropped.errors.append(last.error) }
        return dropped
    }

    /// Removes the failure of a factory, if there is one.
    mutating func forget(_ factory: AnyServiceFactory) -> Dropped {
        let last = entries.removeValue(forKey: ObjectIdentifier(factory))
        return Dropped(errors: last.map { [$0.error] } ?? [])
    }
}

extension ContainerState {
    /// The failure of the last creation by a factory; nil if that did not fail.
    func failure(of factory: AnyServiceFactory) -> DependencyError? {
        withAttachmentIfAny(FailedCreations.self) { $0[factory] } ?? nil
    }

    /// Notes that the last creation by a factory has not failed.
    func forgetFailure(of factory: AnyServiceFactory) {
        withExtendedLifetime(withAttachmentIfAny(FailedCreations.self) { $0.forget(factory) }) {}
    }
}

extension ServiceFactory {
    /// Notes that a creation has failed, for the health checks of the service.
    ///
    /// - Parameter container: The container that the instance was created for.
    @inline(never)
    func noteFailure(_ error: DependencyError, in container: DependencyContainer) {
        guard Arguments.self == Void.self, lifetime.policy.sharing.kind.ownership != .caller else { return }
        let dropped = container.state.withAttachment(FailedCreations.self) { $0.note(error, of: self) }
        withExtendedLifetime(dropped) {}
    }

    /// Notes that an instance of a lifetime that can lose it was created.
    @inline(never)
    func forgetFailure(in container: DependencyContainer) { container.stateIfAny?.forgetFailure(of: self) }

    /// Returns the failure of the last creation for a resolve call; nil if that did not fail.
    func failure(for resolution: Resolution) -> DependencyError? {
        let isForCaller = lifetime.policy.sharing.kind.ownership == .container
        return (isForCaller ? resolution.container : resolution.owner).stateIfAny?.failure(of: self)
    }
}
