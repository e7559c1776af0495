import Foundation
import Hummingbird

/// Which controller answers what. Where they come from is the wiring's business.
struct Routes {
    private struct Quantity: Decodable {
        let quantity: Int
    }

    private struct Card: Decodable {
        let card: String
    }

    let wiring: any Wiring
    let requestLimit: Int

    func makeRouter() -> Router<ShopContext> {
        let router = Router(context: ShopContext.self)
        router.add(middleware: RequestMiddleware())
        // Not behind the door: who asks whether we are well wants to know it all the more when we are busy.
        router.get("health") { [wiring] _, context in try await wiring.health().check().json(context) }
        let shop = router.group()
            .add(middleware: BodyMiddleware())
            .add(middleware: AdmissionMiddleware(limit: requestLimit))
            .add(middleware: ScopeMiddleware(wiring: wiring))
        addProducts(to: shop)
        addSessions(to: shop)
        addOrders(to: shop)
        return router
    }

    private func addProducts(to shop: RouterGroup<ShopContext>) {
        shop.get("products") { [wiring] request, context in
            try wiring.products(context).list().json(context)
        }
        shop.get("products/:id") { [wiring] _, context in
            try wiring.products(context).product(try context.parameters.require("id")).json(context)
        }
    }

    private func addSessions(to shop: RouterGroup<ShopContext>) {
        shop.post("sessions") { [wiring] _, context in
            try await wiring.sessions(context).create().json(context, status: .created)
        }
        shop.put("basket/:product") { [wiring] request, context in
            let line = BasketLine(
                product: try context.parameters.require("product"),
                quantity: try await request.json(Quantity.self, context: context).quantity)
            return try await wiring.baskets(context).put(line).json(context)
        }
    }

    private func addOrders(to shop: RouterGroup<ShopContext>) {
        shop.post("orders") { [wiring] request, context in
            let card = try await request.json(Card.self, context: context).card
            return try await wiring.orders(context).create(card: card).json(context, status: .created)
        }
        shop.get("orders") { [wiring] _, context in try await wiring.orders(context).list().json(context) }
        shop.get("orders/:id") { [wiring] _, context in
            try await wiring.orders(context).order(try context.parameters.require("id")).json(context)
        }
    }
}

extension Encodable {
    fileprivate func json(_ context: ShopContext, status: HTTPResponse.Status = .ok) throws -> Response {
        let data = try context.responseEncoder.encode(self)
        return Response(
            status: status,
            headers: [.contentType: "application/json; charset=utf-8", .contentLength: "\(data.count)"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
    }
}
