import Hopoate
import HopoateHummingbird
import Hummingbird

/// The routes and their controllers. Each controller is resolved from the container of its HTTP request.
///
/// A service that cannot be created is a response with status 500.
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

    /// Adds the other routes to a group behind `RequestScope`.
    func add(to shop: RouterGroup<ShopContext>) {
        addProducts(to: shop)
        addSessions(to: shop)
        addOrders(to: shop)
    }

    private func addProducts(to shop: RouterGroup<ShopContext>) {
        shop.get("products", using: ProductController.self) { products, request, context in
            try products.list().json(request, context)
        }
        shop.get("products/:id", using: ProductController.self) { products, request, context in
            try products.product(try context.parameters.require("id")).json(request, context)
        }
    }

    private func addSessions(to shop: RouterGroup<ShopContext>) {
        shop.post("sessions", using: SessionController.self) { sessions, request, context in
            try await sessions.create().json(request, context, status: .created)
        }
        shop.put("basket/:product", using: BasketController.self) { baskets, request, context in
            let line = BasketLine(
                product: try context.parameters.require("product"),
                quantity: try await request.json(Quantity.self, context: context).quantity)
            return try await baskets.put(line).json(request, context)
        }
    }

    private func addOrders(to shop: RouterGroup<ShopContext>) {
        shop.post("orders", using: OrderController.self) { orders, request, context in
            let card = try await request.json(Card.self, context: context).card
            return try await orders.create(card: card).json(request, context, status: .created)
        }
        shop.get("orders", using: OrderController.self) { orders, request, context in
            try await orders.list().json(request, context)
        }
        shop.get("orders/:id", using: OrderController.self) { orders, request, context in
            try await orders.order(try context.parameters.require("id")).json(request, context)
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
