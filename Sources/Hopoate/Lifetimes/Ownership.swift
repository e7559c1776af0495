/// The owner of an instance.
enum Ownership: Sendable {
    /// The caller of `resolve`. For transient services and those of an object graph.
    case caller
    /// The container that `resolve` was called on. For scoped services.
    case container
    /// The registration, on behalf of all callers. For singletons, and for weak and keyed services.
    case registration
    /// The registration, which may end the instance while callers hold it. For cached services, and for keyed ones with a limit.
    case expiring

    /// Whether the registration owns the instance.
    var isRegistration: Bool { self == .registration || self == .expiring }
}
