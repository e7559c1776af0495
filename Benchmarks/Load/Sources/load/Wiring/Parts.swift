import Shop

/// The services with the lifetime of the process, created by hand.
struct Parts {
    let catalogue: Catalogue
    let pricing: Pricing
    let sessions: SessionStore
    let baskets: BasketStore
    let orders: OrderStore
    let settlement: Settlement

    static func make() async throws -> Parts {
        let storage = try await Storage.open(settings: StorageModule())
        let catalogue = try await Catalogue.load(from: ProductStore(storage: storage))
        let orders = OrderStore(storage: storage)
        return Parts(
            catalogue: catalogue, pricing: Pricing(catalogue: catalogue),
            sessions: SessionStore(storage: storage), baskets: BasketStore(storage: storage), orders: orders,
            settlement: Settlement(orders: orders, provider: DemoPaymentProvider()))
    }
}
