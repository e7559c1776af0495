/// A service that an initializer takes as a parameter: an edge of the dependency graph.
@usableFromInline
struct Requirement: Sendable {
    /// How a parameter uses the service.
    enum Kind: Sendable {
        /// The service must be registered, and is created before the one with the initializer.
        case required
        /// The service need not be registered.
        case optional
        /// The service must be registered, and is resolved later.
        case later
        /// The parameter takes the services of all registrations.
        case all
    }

    let identity: ServiceIdentity
    let kind: Kind
    /// The dependency that counts instead if the type of the parameter itself is not registered.
    var alternative: Box<Requirement>?

    init<Service>(_ key: ServiceKey<Service>, _ kind: Kind) {
        identity = key.identity
        self.kind = kind
    }
}
