import Hopoate
import HopoateHummingbird
import Hummingbird
import Testing

/// A server validates its routes before it starts.
@Suite struct RouteValidationTests {
    private struct RequestID: Sendable {
        let text: String
    }

    private struct CartController: Sendable {
        let id: RequestID
    }

    private struct Audit: Sendable {}

    /// Registers the controllers, and returns the routes of an application.
    private func makeRoutes(
        _ app: TestApp, of router: Router<AppContext>, without missing: String = ""
    ) -> DependencyRoutes<AppContext> {
        if missing != "order" {
            app.container.register(OrderController.self, lifetime: .transient, using: OrderController.init(work:))
        }
        if missing != "cart" {
            app.container.register(CartController.self, lifetime: .transient, using: CartController.init)
        }
        let routes = router.group("api").scoped(to: app.container) { [scopes = app.scopes] child, request, context in
            scopes.add(child)
            child.register(RequestID(text: request.uri.path), for: RequestID.self)
        }
        routes.get("orders/:id", using: OrderController.show)
        routes.get("cart", using: CartController.self) { cart, _, _ in cart.id.text }
        return routes
    }

    private func addID(to child: DependencyContainer) { child.register(RequestID(text: ""), for: RequestID.self) }

    @Test func aServerWithAllRegistrationsStartsAndAnswers() async throws {
        let app = TestApp()
        let router = Router(context: AppContext.self)
        let routes = makeRoutes(app, of: router)
        let report = try routes.validate(prepare: addID)
        #expect(report.checked == 3)
        #expect(app.scopes.begun == 0)
        try await app.serve(router) { server in
            let order = try await server.get("/api/orders/7")
            #expect(order == Answer(status: 200, body: "order 7"))
            let cart = try await server.get("/api/cart")
            #expect(cart == Answer(status: 200, body: "/api/cart"))
            try await app.journal.wait(for: "disposed")
            // The scope is that of the routes: another path makes no child.
            let unknown = try await server.get("/api/unknown")
            #expect(unknown.status == 404)
            #expect(app.scopes.begun == 2)
        }
    }

    @Test(arguments: [
        ("order", "'HopoateHummingbirdTests.OrderController' is not registered", "'GET /api/orders/{id}' at "),
        ("cart", "CartController' is not registered", "'GET /api/cart' at "),
    ]) func aRegistrationThatOnlyARouteNeedsIsMissedAtTheStart(missing: String, type: String, route: String) throws {
        let routes = makeRoutes(TestApp(), of: Router(context: AppContext.self), without: missing)
        let error = #expect(throws: DependencyValidationError.self) { try routes.validate(prepare: addID) }
        let message = try #require(error?.description)
        for part in [type, route, "HopoateHummingbirdTests/RouteValidationTests.swift:"] {
            #expect(message.contains(part), "\(message)")
        }
        #expect(error?.findings.count == 1)
    }

    @Test func aNeedOfAControllerThatOnlyTheRequestHasIsMissedWithoutThePreparation() throws {
        let routes = makeRoutes(TestApp(), of: Router(context: AppContext.self))
        let error = #expect(throws: DependencyValidationError.self) { try routes.validate() }
        #expect(try #require(error?.description).contains("'GET /api/cart' at "))
        #expect(throws: Refused.self) { try routes.validate { _ in throw Refused() } }
    }

    @Test func rootsCanBeValidatedTogetherWithThoseOfMiddlewares() throws {
        let app = TestApp()
        let routes = makeRoutes(app, of: Router(context: AppContext.self))
        let audit = DependencyRoot(Audit.self, neededBy: "the audit middleware")
        let error = #expect(throws: DependencyValidationError.self) {
            try app.container.validate(roots: routes.roots + [audit], prepare: addID)
        }
        #expect(try #require(error?.description).contains("'the audit middleware'"))
    }

    /// As in an application: validation is the last step before the server listens.
    @Test(arguments: ["order", ""]) func aServerWithoutARegistrationDoesNotStart(missing: String) async throws {
        let app = TestApp()
        let router = Router(context: AppContext.self)
        let routes = makeRoutes(app, of: router, without: missing)
        var server = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { [journal = app.journal] _ in journal.note("listening") })
        server.beforeServerStarts { [roots = routes.roots, container = app.container] in
            try container.validate(roots: roots) { $0.register(RequestID(text: ""), for: RequestID.self) }
            if missing.isEmpty { throw Refused() }
        }
        let running = Task { [server] in try await server.run() }
        let watching = Task { [journal = app.journal] in
            try await journal.wait(for: "listening")
            running.cancel()
        }
        defer { watching.cancel() }
        do {
            try await running.value
            Issue.record("the server has run")
        } catch let error as DependencyValidationError {
            #expect(!missing.isEmpty && error.description.contains("GET /api/orders/{id}"))
        } catch {
            #expect(missing.isEmpty && error is Refused)
        }
        #expect(app.journal.all.isEmpty)
    }

    @Test func aRouteOfAPlainRouterAnswersAndIsNoRoot() async throws {
        let app = TestApp()
        app.container.register(OrderController.self, lifetime: .transient, using: OrderController.init(work:))
        app.router.get("orders/:id", using: OrderController.show)
        let routes = app.router.scoped(to: app.container)
        app.router.get("later/:id", using: OrderController.show)
        #expect(routes.roots.isEmpty && routes.unknown.isEmpty)
        try await app.serve { server in
            for path in ["/orders/1", "/later/1"] {
                let answer = try await server.get(path)
                #expect(answer == Answer(status: 200, body: "order 1"))
            }
        }
    }

    @Test func middlewaresOfTheRoutesRunInsideTheScope() async throws {
        let app = TestApp()
        let router = Router(context: AppContext.self)
        let routes = router.scoped(to: app.container) { child, _, _ in child.register(7, for: Int.self) }
        routes.get("before") { _, _ in "before" }
        routes.add(middleware: Requiring())
        routes.get("after") { _, _ in "after" }
        try await app.serve(router) { server in
            let before = try await server.get("/before")
            #expect(before == Answer(status: 200, body: "before"))
            let after = try await server.get("/after")
            #expect(after == Answer(status: 207, body: "after"))
        }
    }

    // MARK: - Values of an HTTP request

    /// Returns routes that need two values of each HTTP request.
    private func makeRoutesWithValues(
        _ app: TestApp, of router: Router<AppContext>, isAsynchronous: Bool
    ) -> DependencyRoutes<AppContext> {
        app.container.register(CartController.self, lifetime: .transient, using: CartController.init)
        let routes =
            isAsynchronous
            ? router.scoped(to: app.container) { request, context in
                await Task.yield()
                return (RequestID(text: request.uri.path), context.clientPort == nil ? 0 : 7)
            }
            : router.scoped(to: app.container) { request, context in
                (RequestID(text: request.uri.path), context.clientPort == nil ? 0 : 7)
            }
        routes.get("cart", using: CartController.self) { cart, _, context in
            "\(cart.id.text) \(try context.dependencies.require(Int.self))"
        }
        return routes
    }

    @Test(arguments: [false, true]) func valuesAreStatedOnce(isAsynchronous: Bool) async throws {
        let app = TestApp()
        let router = Router(context: AppContext.self)
        let routes = makeRoutesWithValues(app, of: router, isAsynchronous: isAsynchronous)
        // The handler resolves the number, which no registration needs.
        try routes.seal(
            .strict.allowing(.opaque, for: Work.self).allowing(.unused, for: Work.self),
            roots: [DependencyRoot(Int.self)])
        #expect(app.container.isSealed)
        try routes.validate()
        try await app.serve(router) { server in
            for _ in 0..<2 {
                let cart = try await server.get("/cart")
                #expect(cart == Answer(status: 200, body: "/cart 7"))
            }
        }
    }

    @Test func aValueThatNoRequestBringsIsMissing() throws {
        let app = TestApp()
        app.container.register(CartController.self, lifetime: .transient, using: CartController.init)
        let routes = Router(context: AppContext.self).scoped(to: app.container) { _, _ in 7 }
        routes.get("cart", using: CartController.self) { _, _, _ in "" }
        let error = #expect(throws: DependencyValidationError.self) { try routes.seal() }
        #expect("\(error!)".contains("RequestID") && "\(error!)".contains("'GET /cart'"))
        // The place is that of the routes.
        let unused = #expect(throws: DependencyValidationError.self) { try routes.seal(.strict) }
        #expect("\(unused!)".contains("\(#fileID):\(#line - 6)"))
    }

    @Test func errorsOfValuesAreTheResponse() async throws {
        let app = TestApp()
        let router = Router(context: AppContext.self)
        let routes = router.scoped(to: app.container) { request, _ -> Int in
            if request.uri.path == "/refused" { throw HTTPError(.unauthorized) }
            throw Refused()
        }
        for path in ["refused", "broken"] { routes.get("\(path)", using: Int.self) { _, _, _ in "" } }
        try await app.serve(router) { server in
            let refused = try await server.get("/refused")
            #expect(refused.status == 401)
            let broken = try await server.get("/broken")
            #expect(broken.status == 500)
        }
    }
}

/// Resolves a service of the HTTP request.
struct Requiring: RouterMiddleware {
    typealias Context = AppContext

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        let number = try context.dependencies.require(Int.self)
        var response = try await next(request, context)
        response.status = .init(code: 200 + number)
        return response
    }
}
