import Components
import Hopoate
import HopoateHummingbird
import Hummingbird
import NIOCore

func makeRouter(_ app: DependencyContainer, _ settings: Settings) throws -> Router<AppContext> {
    let router = Router(context: AppContext.self)
    router.addHealthRoutes(of: app, within: settings.healthLimit)
    let products = router.group("products").scoped(to: app)
    products.get(using: CatalogueController.self) { catalogue, _, _ in try await catalogue.list() }
    let orders = router.group("orders").scoped(to: app, prepare: openSession).add(middleware: CommitOnSuccess())
    orders.get(using: OrderController.self) { orders, _, _ in try await orders.list() }
    orders.post(":product", using: OrderController.self) { orders, _, context in
        try await orders.place(try context.parameters.require("product"))
    }
    orders.get("watch", using: OrderController.self) { orders, request, _ in
        let times = request.uri.queryParameters.get("times", as: Int.self)
        return Response(
            status: .ok,
            body: ResponseBody { writer in
                try await orders.watch(times: times) { try await writer.write(ByteBuffer(string: $0)) }
                try await writer.finish(nil)
            })
    }
    try app.validate(roots: products.roots + orders.roots) { $0.register(Session(user: ""), for: Session.self) }
    return router
}
