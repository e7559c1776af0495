import Hopoate

/// The database and what is kept there.
struct StorageModule: DependencyModule {
    func register(in container: DependencyContainer) {
        // Opened asynchronously, so before all else, and closed after it.
        container.register(Storage.self, using: Storage.open, onDispose: { try $0.close() })
        container.register(ProductStore.self, using: ProductStore.init)
        container.register(SessionStore.self, using: SessionStore.init)
        container.register(BasketStore.self, using: BasketStore.init)
        container.register(OrderStore.self, using: OrderStore.init)
    }
}
