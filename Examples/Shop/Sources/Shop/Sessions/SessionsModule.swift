import Hopoate
import Logging

/// What belongs to one request. `ScopeMiddleware` registers the request itself in the container of each.
///
/// Scoped is what the services of a request share. The others are made with the container of the request too, for
/// whoever asks: to keep what is asked for once would cost more than to make it.
struct SessionsModule: DependencyModule {
    func register(in container: DependencyContainer) {
        container.register(CurrentSession.self, lifetime: .scoped, using: CurrentSession.init)
        container.register(Logger.self, lifetime: .transient, using: RequestInfo.makeLogger)
        container.register(Checkout.self, lifetime: .transient, using: Checkout.init)
    }
}
