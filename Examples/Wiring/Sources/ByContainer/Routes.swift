import Components
import Hopoate
import HopoateHummingbird
import Hummingbird
import NIOCore

func makeRouter(_ app: DependencyContainer, _ settings: Settings) -> Router<AppContext> {
    let router = Router(context: AppContext.self)
    router.addHealth(of: app, within: settings.healthLimit)
    router.group("products").add(middleware: RequestScope(app))
        .get(using: CatalogueController.self) { catalogue, _, _ in try await catalogue.list() }
    let orders = router.group("orders").add(middleware: RequestScope(app, prepare: openSession))
        .add(middleware: CommitOnSuccess())
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
    return router
}
