import Hopoate

/// Registers the controllers: created per HTTP request by their initializers, in the container of the request.
struct WebModule: DependencyModule {
    func register(in container: DependencyContainer) {
        container.register(ProductController.self, lifetime: .transient, using: ProductController.init)
        container.register(SessionController.self, lifetime: .transient, using: SessionController.init)
        container.register(BasketController.self, lifetime: .transient, using: BasketController.init)
        container.register(OrderController.self, lifetime: .transient, using: OrderController.init)
    }
}
