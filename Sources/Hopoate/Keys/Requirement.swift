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
    /// The key of `identity`, which can be read without counting references.
    let key: AnyServiceKey
    let kind: Kind
    /// Whether the parameter keeps the instance. A provider does not.
    let keepsInstance: Bool
    /// The dependency that counts instead if the type of the parameter itself is not registered.
    var alternative: Box<Requirement>?

    /// Whether the factory fails if no registration is found.
    var mustBeRegistered: Bool { kind != .optional }

    init<Service>(_ key: ServiceKey<Service>, _ kind: Kind, keepsInstance: Bool = true) {
        self.init(key.identity, kind, keepsInstance: keepsInstance)
    }

    init(_ identity: ServiceIdentity, _ kind: Kind, keepsInstance: Bool) {
        self.identity = identity
        key = identity.key
        self.kind = kind
        self.keepsInstance = keepsInstance
    }

    /// Looks up the type of the parameter as a factory does: the very type first, then the type that it wraps.
    ///
    /// - Returns: The result of the first successful look-up, with the dependency of that type. If all fail: nil, with the last dependency.
    func lookUp<Found>(_ find: (AnyServiceKey) -> Found?) -> (requirement: Requirement, found: Found?) {
        var requirement = self
        while true {
            if let found = find(requirement.key) { return (requirement, found) }
            guard let alternative = requirement.alternative else { return (requirement, nil) }
            requirement = alternative.value
        }
    }
}
