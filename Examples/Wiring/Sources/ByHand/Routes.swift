import Components
import HTTPTypes
import Hummingbird
import NIOCore

typealias AppContext = BasicRequestContext

func makeRouter(_ services: Services, _ settings: Settings) -> Router<AppContext> {
    let router = Router(context: AppContext.self)
    router.addHealth(of: services, within: settings.healthLimit)
    router.get("products") { _, _ in try await services.catalogueController.list() }
    let scope = RequestScope(services: services)
    let orders = router.group("orders")
    orders.get { request, context in
        try await scope.respond(to: request, context) { orders in try await orders.list() }
    }
    orders.post(":product") { request, context in
        let product = try context.parameters.require("product")
        return try await scope.respond(to: request, context) { orders in try await orders.place(product) }
    }
    orders.get("watch") { request, context in
        let times = request.uri.queryParameters.get("times", as: Int.self)
        return try await scope.respond(to: request, context) { orders in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    try await orders.watch(times: times) { try await writer.write(ByteBuffer(string: $0)) }
                    try await writer.finish(nil)
                })
        }
    }
    return router
}
