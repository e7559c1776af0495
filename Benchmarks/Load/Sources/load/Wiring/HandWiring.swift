import Logging
import Shop

/// The shop without a container: services are passed from initializer to initializer.
struct HandWiring: Wiring {
    private let catalogue: Catalogue
    private let pricing: Pricing
    private let sessionStore: SessionStore
    private let basketStore: BasketStore
    private let orderStore: OrderStore
    private let settlement: Settlement

    init(_ parts: Parts) {
        catalogue = parts.catalogue
        pricing = parts.pricing
        sessionStore = parts.sessions
        basketStore = parts.baskets
        orderStore = parts.orders
        settlement = parts.settlement
    }

    func products(_ context: ShopContext) -> ProductController { ProductController(catalogue: catalogue) }

    func sessions(_ context: ShopContext) -> SessionController {
        SessionController(sessions: sessionStore, logger: RequestInfo.makeLogger(of: context.info))
    }

    func baskets(_ context: ShopContext) -> BasketController {
        BasketController(
            session: CurrentSession(request: context.info, sessions: sessionStore), baskets: basketStore,
            pricing: pricing, logger: RequestInfo.makeLogger(of: context.info))
    }

    func orders(_ context: ShopContext) -> OrderController {
        let session = CurrentSession(request: context.info, sessions: sessionStore)
        let checkout = Checkout(
            session: session, pricing: pricing, orders: orderStore, settlement: settlement,
            logger: RequestInfo.makeLogger(of: context.info))
        return OrderController(session: session, checkout: checkout, orders: orderStore)
    }
}
