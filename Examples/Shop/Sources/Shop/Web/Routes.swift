public import Hopoate
package import HopoateHummingbird
public import Hummingbird

/// The routes and their controllers. Each controller is resolved from the container of its HTTP request.
///
/// A service that cannot be created is a response with status 500. `ShopService.prepare` finds a controller that is not registered.
public enum Routes {
    private struct Quantity: Decodable {
        let quantity: Int
    }

    private struct Card: Decodable {
        let card: String
    }

    typealias Observer = any MiddlewareProtocol<Request, Response, ShopContext>

    /// Returns the routes of the shop, each with a container for its HTTP requests.
    ///
    /// - Parameters:
    ///   - group: The group to which the routes are added.
    ///   - container: The container of the application.
    ///   - observer: A middleware that handles each HTTP request in its request scope.
    @discardableResult
    static func add(
        to group: RouterGroup<ShopContext>, _ container: DependencyContainer, observedBy observer: Observer? = nil
    ) -> DependencyRoutes<ShopContext> {
        // `RequestMiddleware` logs the errors.
        let shop = group.scoped(to: container, logsErrors: false) { _, context in context.info }
        if let observer { shop.add(middleware: observer) }
        addProducts(to: shop)
        addSessions(to: shop)
        addOrders(to: shop)
        return shop
    }

    /// Adds the routes for operators, which are answered under any load.
    public static func addOperations(to router: Router<ShopContext>, _ container: DependencyContainer) {
        router.addHealthRoutes(of: container)
        guard container.values.settings.snapshot else { return }
        let routes = ofAnyServer(on: container)
        router.addSnapshotPage("internal/dependencies", of: container, prepare: routes.registerValueTypes)
    }

    /// Returns the routes without a server, for checks and drawings.
    package static func ofAnyServer(on container: DependencyContainer) -> DependencyRoutes<ShopContext> {
        add(to: Router(context: ShopContext.self).group(), container)
    }

    private static func addProducts(to shop: DependencyRoutes<ShopContext>) {
        shop.get("products", using: ProductController.self) { products, request, context in
            try products.list().json(request, context)
        }
        shop.get("products/:id", using: ProductController.self) { products, request, context in
            try products.product(try context.parameters.require("id")).json(request, context)
        }
    }

    private static func addSessions(to shop: DependencyRoutes<ShopContext>) {
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

    private static func addOrders(to shop: DependencyRoutes<ShopContext>) {
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
