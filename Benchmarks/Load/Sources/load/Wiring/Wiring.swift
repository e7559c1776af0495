import Shop

/// The controllers of an HTTP request, made without a container.
protocol Wiring: Sendable {
    func products(_ context: ShopContext) -> ProductController
    func sessions(_ context: ShopContext) -> SessionController
    func baskets(_ context: ShopContext) -> BasketController
    func orders(_ context: ShopContext) -> OrderController
}
