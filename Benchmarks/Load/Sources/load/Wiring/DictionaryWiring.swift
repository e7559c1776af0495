import Logging
import Shop

/// The shop with a service locator, and a child locator per HTTP request.
struct DictionaryWiring: Wiring {
    private let root = Locator()

    init(_ parts: Parts) {
        root.register(parts.catalogue)
        root.register(parts.pricing)
        root.register(parts.sessions)
        root.register(parts.baskets)
        root.register(parts.orders)
        root.register(parts.settlement)
        root.register(scoped: false) { RequestInfo.makeLogger(of: $0.resolve()) }
        root.register(scoped: true) { CurrentSession(request: $0.resolve(), sessions: $0.resolve()) }
        root.register(scoped: false) {
            Checkout(
                session: $0.resolve(), pricing: $0.resolve(), orders: $0.resolve(), settlement: $0.resolve(),
                logger: $0.resolve())
        }
        root.register(scoped: false) { ProductController(catalogue: $0.resolve()) }
        root.register(scoped: false) { SessionController(sessions: $0.resolve(), logger: $0.resolve()) }
        root.register(scoped: false) {
            BasketController(
                session: $0.resolve(), baskets: $0.resolve(), pricing: $0.resolve(), logger: $0.resolve())
        }
        root.register(scoped: false) {
            OrderController(session: $0.resolve(), checkout: $0.resolve(), orders: $0.resolve())
        }
    }

    func products(_ context: ShopContext) -> ProductController { scope(context).resolve() }
    func sessions(_ context: ShopContext) -> SessionController { scope(context).resolve() }
    func baskets(_ context: ShopContext) -> BasketController { scope(context).resolve() }
    func orders(_ context: ShopContext) -> OrderController { scope(context).resolve() }

    /// A route resolves one controller, so this runs once per HTTP request.
    private func scope(_ context: ShopContext) -> Locator {
        let scope = Locator(parent: root)
        scope.register(context.info)
        return scope
    }
}
