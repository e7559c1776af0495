import Hopoate
import Logging

/// The services of an HTTP request. `RequestScope` registers the request itself in the container of each request.
///
/// Services that a request shares are scoped. The others are transient: a service that is resolved once is cheaper to create than
/// to cache.
struct SessionsModule: DependencyModule {
    func register(in container: DependencyContainer) {
        container.register(CurrentSession.self, lifetime: .scoped, using: CurrentSession.init)
        container.register(Logger.self, lifetime: .transient, using: RequestInfo.makeLogger)
        container.register(Checkout.self, lifetime: .transient, using: Checkout.init)
    }
}
