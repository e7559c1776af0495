import Hummingbird
import Shop

private struct Quantity: Decodable {
    let quantity: Int
}

private struct Card: Decodable {
    let card: String
}

extension Wiring {
    /// Adds the routes that `Customer` uses. They do the same work as the routes of the shop.
    func addRoutes(to shop: RouterGroup<ShopContext>) {
        shop.get("products/:id") { request, context in
            let id = try context.parameters.require("id")
            return try json(products(context).product(id), request, context)
        }
        shop.post("sessions") { request, context in
            try json(await sessions(context).create(), request, context, status: .created)
        }
        shop.put("basket/:product") { request, context in
            let product = try context.parameters.require("product")
            let body = try await context.requestDecoder.decode(Quantity.self, from: request, context: context)
            let line = BasketLine(product: product, quantity: body.quantity)
            return try json(await baskets(context).put(line), request, context)
        }
        shop.post("orders") { request, context in
            let body = try await context.requestDecoder.decode(Card.self, from: request, context: context)
            return try json(await orders(context).create(card: body.card), request, context, status: .created)
        }
    }

    private func json(
        _ value: some Encodable, _ request: Request, _ context: ShopContext, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        var response = try context.responseEncoder.encode(value, from: request, context: context)
        response.status = status
        return response
    }
}
