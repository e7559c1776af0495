// Facts about registrations, for lists, messages and HopoateServer.

extension AnyServiceRegistration {
    /// The place of the registration, for messages.
    package var place: String? { callSite?.place }

    /// Whether a resolve call of the container that holds the registration would find an instance.
    package func hasInstance(in container: DependencyContainer) -> Bool {
        hasInstance(for: Resolution(container: container, owner: container))
    }

    /// The identity of the factory, as observers of creations get it; nil if there is no factory.
    package var factoryID: ObjectIdentifier? { factory.map { ObjectIdentifier($0) } }

    /// Whether the factory suspends.
    package var isAsynchronous: Bool { factory?.isAsynchronous ?? false }

    /// The record of the creations; nil if they are not recorded.
    package var record: (any AnyObject & Sendable)? { factory?.record ?? disposals?.companion }
}

extension DependencyContainer {
    /// The number of deferred releases in the whole process. A release is deferred while a thread borrows the object.
    package var deferredReleases: Int { registry.deferredReleases }
}
