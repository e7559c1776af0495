import Hopoate
import HopoateHummingbird
import Hummingbird
import NIOHTTP1
import Testing

@Suite struct ControllerRouteTests {
    /// A service that only an asynchronous factory creates.
    final class Connection: Sendable {
        let number: Int

        init(number: Int) async {
            await Task.yield()
            self.number = number
        }
    }

    struct OrderController: Sendable {
        let connection: Connection

        func show(_ request: Request, context: AppContext) async throws -> String {
            "order \(try context.parameters.require("id")) on \(connection.number)"
        }

        func list(_ request: Request, context: AppContext) -> String { "orders on \(connection.number)" }
    }

    private func makeApp() -> TestApp {
        let app = TestApp { child, request, _ in child.register(request.uri.path.utf8.count, for: Int.self) }
        app.container.register(Connection.self, lifetime: .scoped) { container in
            await Connection(number: try container.require(Int.self))
        }
        app.container.register(OrderController.self, lifetime: .transient, using: OrderController.init)
        return app
    }

    @Test func aMethodOfAControllerAnswersARoute() async throws {
        let app = makeApp()
        app.router.get("orders", using: OrderController.list)
        app.router.get("orders/:id", using: OrderController.show)
        try await app.serve { server in
            let list = try await server.get("/orders")
            #expect(list == Answer(status: 200, body: "orders on 7"))
            let order = try await server.get("/orders/12")
            #expect(order == Answer(status: 200, body: "order 12 on 10"))
        }
    }

    @Test func aHandlerGetsItsService() async throws {
        let app = makeApp()
        app.router.get("orders/:id", using: OrderController.self) { orders, request, context in
            try await orders.show(request, context: context)
        }
        try await app.serve { server in
            let order = try await server.get("/orders/1")
            #expect(order == Answer(status: 200, body: "order 1 on 9"))
        }
    }

    @Test(arguments: [HTTPMethod.GET, .POST, .PUT, .PATCH, .DELETE]) func everyMethodHasItsRoutes(method: HTTPMethod)
        async throws
    {
        let app = makeApp()
        app.router
            .get("method", using: OrderController.list).post("method", using: OrderController.list)
            .put("method", using: OrderController.list).patch("method", using: OrderController.list)
            .delete("method", using: OrderController.list)
            .get("closure", using: Int.self) { number, request, _ in "\(request.method) \(number)" }
            .post("closure", using: Int.self) { number, request, _ in "\(request.method) \(number)" }
            .put("closure", using: Int.self) { number, request, _ in "\(request.method) \(number)" }
            .patch("closure", using: Int.self) { number, request, _ in "\(request.method) \(number)" }
            .delete("closure", using: Int.self) { number, request, _ in "\(request.method) \(number)" }
        try await app.serve { server in
            let first = try await server.get("/method", method: method)
            #expect(first == Answer(status: 200, body: "orders on 7"))
            let second = try await server.get("/closure", method: method)
            #expect(second == Answer(status: 200, body: "\(method) 8"))
        }
    }

    @Test func aNamedServiceIsFoundByItsName() async throws {
        let app = makeApp()
        app.container.register("unnamed", for: String.self)
        app.container.register("named", for: String.self, named: "other")
        app.router.get("text", using: String.self, named: "other") { text, _, _ in text }
        try await app.serve { server in
            let answer = try await server.get("/text")
            #expect(answer == Answer(status: 200, body: "named"))
        }
    }
}
