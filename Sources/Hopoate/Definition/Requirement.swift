/// A service that an initializer takes as a parameter: an edge of the dependency graph.
@usableFromInline
struct Requirement: Sendable {
    /// How the parameter uses the service.
    enum Kind: Sendable {
        /// The service has to be registered, and is created first.
        case required
        /// The service may be missing.
        case optional
        /// The service has to be registered, and is resolved later.
        case later
        /// All registrations of the service.
        case all
    }

    let identity: ServiceIdentity
    let kind: Kind
    /// What is resolved instead if nothing is registered under the type of the parameter itself.
    var alternative: Box<Requirement>?

    init<Service>(_ key: ServiceKey<Service>, _ kind: Kind) {
        identity = key.identity
        self.kind = kind
    }
}
