/// The closure of a decorator. It gets the inner service, the container and the arguments of the resolve call.
enum Decorator<Service: Sendable, Arguments> {
    case synchronous(@Sendable (Service, DependencyContainer, Arguments) throws -> Service)
    case asynchronous(@Sendable (Service, DependencyContainer, Arguments) async throws -> Service)

    /// The closures of the decorated service. A decorator that suspends, or a service inside that does, makes it asynchronous.
    func closures(around inner: InnerService<Service, Arguments>) -> ServiceFactory<Service, Arguments>.Closures {
        switch self {
        case .synchronous(let decorate):
            let direct = { (asked: DependencyContainer, arguments: Arguments) throws -> Service in
                try decorate(try inner.resolve(arguments, in: asked), asked, arguments)
            }
            guard let factory = inner.factory, factory.closures.asynchronous != nil else { return .synchronous(direct) }
            let suspending: @Sendable (DependencyContainer, Arguments) async throws -> Service = { asked, arguments in
                try decorate(try await inner.resolve(suspending: arguments, in: asked), asked, arguments)
            }
            return factory.isAsynchronous ? .asynchronous(suspending) : .both(direct, suspending)
        case .asynchronous(let decorate):
            return .asynchronous { asked, arguments in
                try await decorate(try await inner.resolve(suspending: arguments, in: asked), asked, arguments)
            }
        }
    }

    /// The lifetime of the decorated service: that of the service inside. `decorate` cannot wait for a decorator that suspends, so
    /// then an existing instance is decorated on first use.
    func lifetime(around inner: InnerService<Service, Arguments>) -> Lifetime {
        let lifetime = inner.registration.lifetimeOfService
        if case .asynchronous = self, lifetime.isEager { return .singleton }
        return lifetime
    }
}

/// The service inside a decorator.
struct InnerService<Service: Sendable, Arguments>: Sendable {
    let registration: ServiceRegistration<Service>
    private let key: ServiceKey<Service>
    // Weak, because the container holds the decorator: a strong reference would be a cycle.
    private let owner: WeakContainer

    init(_ registration: ServiceRegistration<Service>, _ key: ServiceKey<Service>, of owner: DependencyContainer) {
        self.registration = registration
        self.key = key
        self.owner = WeakContainer(owner)
    }

    /// The factory; nil if the instance exists already, or if a plain closure creates it.
    var factory: ServiceFactory<Service, Arguments>? { registration.factory(taking: Arguments.self) }

    func resolve(_ arguments: Arguments, in asked: DependencyContainer) throws(DependencyError) -> Service {
        let container = owner.container ?? asked
        defer { withExtendedLifetime(container) {} }
        let resolution = Resolution(container: asked, owner: container)
        guard let factory else { return try registration.resolve(key, resolution) }
        return try factory.resolve(key, arguments, resolution)
    }

    func resolve(
        suspending arguments: Arguments, in asked: DependencyContainer, isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Service {
        guard let factory else { return try resolve(arguments, in: asked) }
        let container = owner.container ?? asked
        defer { withExtendedLifetime(container) {} }
        return try await factory.resolve(
            suspending: key, arguments, Resolution(container: asked, owner: container))
    }
}
