import Hopoate
import Logging

/// What belongs to one request. The request itself is what `ContainerWiring` registers in the container of each.
struct SessionsModule: DependencyModule {
    func register(in container: DependencyContainer) {
        container.register(Logger.self, lifetime: .scoped, using: RequestInfo.makeLogger)
        container.register(CurrentSession.self, lifetime: .scoped, using: CurrentSession.init)
        container.register(Checkout.self, lifetime: .scoped, using: Checkout.init)
    }
}
