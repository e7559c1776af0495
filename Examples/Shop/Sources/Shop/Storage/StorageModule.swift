import Hopoate
import HopoateServer

/// Registers the database and its stores.
struct StorageModule: DependencyModule {
    func register(in container: DependencyContainer) {
        // Opened asynchronously, so it is created before all other services and closed after them.
        container.register(Storage.self, using: Storage.open, onDispose: { try $0.close() })
        container.addHealthCheck(of: Storage.self) { try await $0.check() }
        container.register(ProductStore.self, using: ProductStore.init)
        container.register(SessionStore.self, using: SessionStore.init)
        container.register(BasketStore.self, using: BasketStore.init)
        container.register(OrderStore.self, using: OrderStore.init)
    }
}
