import Hopoate
import Hummingbird

/// The routes and their controllers. Each controller is resolved from the container of its HTTP request.
///
/// `require` throws, so a service that cannot be created is a response with status 500.
struct Routes {
    private struct Quantity: Decodable {
        let quantity: Int
    }

    private struct Card: Decodable {
        let card: String
    }

    let container: DependencyContainer

    /// Adds the route that is answered under any load.
    func addHealth(to router: Router<ShopContext>) {
        router.get("health") { [container] request, context in
            try await container.require(HealthController.self).check().json(request, context)
        }
    }

    /// Adds the other routes to a group behind `ScopeMiddleware`.
    func add(to shop: RouterGroup<ShopContext>) {
        addProducts(to: shop)
        addSessions(to: shop)
        addOrders(to: shop)
    }

    private func addProducts(to shop: RouterGroup<ShopContext>) {
        shop.get("products") { request, context in
            try context.container.require(ProductController.self).list().json(request, context)
        }
        shop.get("products/:id") { request, context in
            let id = try context.parameters.require("id")
            return try context.container.require(ProductController.self).product(id).json(request, context)
        }
    }

    private func addSessions(to shop: RouterGroup<ShopContext>) {
        shop.post("sessions") { request, context in
            try await context.container.require(SessionController.self).create()
                .json(request, context, status: .created)
        }
        shop.put("basket/:product") { request, context in
            let line = BasketLine(
                product: try context.parameters.require("product"),
                quantity: try await request.json(Quantity.self, context: context).quantity)
            return try await context.container.require(BasketController.self).put(line).json(request, context)
        }
    }

    private func addOrders(to shop: RouterGroup<ShopContext>) {
        shop.post("orders") { request, context in
            let card = try await request.json(Card.self, context: context).card
            return try await context.container.require(OrderController.self).create(card: card)
                .json(request, context, status: .created)
        }
        shop.get("orders") { request, context in
            try await context.container.require(OrderController.self).list().json(request, context)
        }
        shop.get("orders/:id") { request, context in
            let id = try context.parameters.require("id")
            return try await context.container.require(OrderController.self).order(id).json(request, context)
        }
    }
}

extension Encodable {
    fileprivate func json(
        _ request: Request, _ context: ShopContext, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        var response = try context.responseEncoder.encode(self, from: request, context: context)
        response.status = status
        return response
    }
}
