import Hopoate
import HopoateHummingbird
import Hummingbird
import Testing

struct OrderController: Sendable {
    init() {}
    init(work: Work) {}

    @Sendable func show(_ request: Request, context: AppContext) async throws -> String {
        "order \(try context.parameters.require("id"))"
    }
}

/// Routes of `scoped(to:)` are roots of validation.
@Suite struct RouteRootTests {
    private struct CartController: Sendable {}

    private let app = DependencyContainer()
    private let router = Router(context: AppContext.self)

    /// The texts of the roots with their types, in order.
    private func texts<Context>(_ routes: DependencyRoutes<Context>) -> [String] {
        routes.roots.map { "\($0.neededBy ?? "?") \($0.service)\($0.name.map { " \($0)" } ?? "")" }
    }

    @Test func aRouteIsARootWithItsTextItsTypeItsNameAndItsPlace() {
        let routes = router.scoped(to: app)
        let line = #line + 1
        routes.get("orders/:id", using: OrderController.show)
            .post(using: CartController.self, named: "other") { _, _, _ in "" }
        #expect(texts(routes) == ["GET /orders/{id} OrderController", "POST / CartController other"])
        #expect(routes.roots.map(\.place) == ["\(#fileID):\(line)", "\(#fileID):\(line + 1)"])
        #expect(router.routes.map(\.description).sorted() == ["GET /orders/{id}", "POST /"])
    }

    @Test func everyMethodHasItsRoots() {
        let routes = router.scoped(to: app)
        routes
            .get("m/:id", using: OrderController.show).post("m/:id", using: OrderController.show)
            .put("m/:id", using: OrderController.show).patch("m/:id", using: OrderController.show)
            .delete("m/:id", using: OrderController.show).on("m/:id", method: .options, using: OrderController.show)
            .get("s", using: Int.self) { _, _, _ in "" }.post("s", using: Int.self) { _, _, _ in "" }
            .put("s", using: Int.self) { _, _, _ in "" }.patch("s", using: Int.self) { _, _, _ in "" }
            .delete("s", using: Int.self) { _, _, _ in "" }.on("s", method: .options, using: Int.self) { _, _, _ in "" }
        let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
        #expect(
            texts(routes) == methods.map { "\($0) /m/{id} OrderController" } + methods.map { "\($0) /s Int" })
        #expect(routes.unknown.isEmpty)
    }

    /// Adds a route to any kind of router, as generic code of an application does.
    private func addOrders<Context: DependencyRequestContext>(to routes: some RouterMethods<Context>) {
        routes.get("orders", using: OrderController.self) { _, _, _ in "" }
    }

    @Test func groupsInsideAreRecordedWithTheirPath() {
        let routes = router.scoped(to: app)
        addOrders(to: routes)
        addOrders(to: routes.group("a").group("b/:c").add(middleware: Passing()))
        addOrders(to: routes.group("other", context: OtherContext.self).add(middleware: Passing()).group("inner"))
        addOrders(to: routes.group("child", context: InnerContext.self))
        addOrders(to: Foreign(parent: routes.group("foreign")))
        routes.addRoutes(collection(), atPath: "collection")
        addOrders(to: routes.add(middleware: Passing()).group("last"))
        let paths = ["", "a/b/{c}/", "other/inner/", "child/", "foreign/added/", "collection/", "last/"]
        #expect(texts(routes) == paths.map { "GET /\($0)orders OrderController" })
        #expect(routes.unknown.isEmpty)
    }

    private func collection() -> RouteCollection<AppContext> {
        let collection = RouteCollection(context: AppContext.self)
        addOrders(to: collection)
        return collection
    }

    @Test func groupsOutsideAreRecordedWithTheirPath() {
        let direct = router.group("api").group("v:1/").scoped(to: app)
        addOrders(to: direct.group("x"))
        #expect(texts(direct) == ["GET /api/v:1/x/orders OrderController"])
        let other = router.group("api", context: OtherContext.self).add(middleware: Passing()).scoped(to: app)
        addOrders(to: other)
        #expect(texts(other) == ["GET /api/orders OrderController"])
        let inner = router.group("api2").group("in", context: InnerContext.self).scoped(to: app)
        addOrders(to: inner)
        #expect(texts(inner) == ["GET /api2/in/orders OrderController"])
        let added = Set(router.routes.map(\.description))
        #expect(added == ["GET /api/v:1/x/orders", "GET /api/orders", "GET /api2/in/orders"])
    }

    @Test func aPathThatCannotBeFoundOutIsMarked() {
        let foreign = Foreign(parent: router.group("api")).scoped(to: app)
        addOrders(to: foreign)
        #expect(texts(foreign) == ["GET …/orders OrderController"])
        let collected = RouteCollection(context: AppContext.self).scoped(to: app)
        addOrders(to: collected)
        #expect(texts(collected) == ["GET …/orders OrderController"])
    }

    @Test func routesOfAnInnerScopeAreRootsOfTheInnerScopeOnly() {
        let outer = router.scoped(to: app)
        let inner = outer.group("tenant").scoped(to: DependencyContainer())
        addOrders(to: inner)
        inner.get("plain") { _, _ in "" }
        #expect(texts(outer).isEmpty && outer.unknown.isEmpty)
        #expect(texts(inner) == ["GET /tenant/orders OrderController"])
        #expect(inner.unknown == ["GET /tenant/plain"])
    }

    @Test func routesWhoseServicesAreNotKnownAreListed() {
        let routes = router.scoped(to: app)
        routes.get("plain/:id") { _, _ in "" }.addHealthRoutes(of: app)
        let collection = RouteCollection(context: AppContext.self).add(middleware: Passing())
        addOrders(to: collection)
        routes.addRoutes(collection, atPath: "collection")
        #expect(routes.roots.isEmpty)
        #expect(routes.unknown == ["GET /plain/{id}", "GET /collection/orders"])
    }

    @Test func routersThatAreBuiltAtOnceDoNotMix() async {
        await withTaskGroup(of: [String].self) { group in
            for number in 0..<8 {
                group.addTask {
                    let routes = Router(context: AppContext.self).scoped(to: DependencyContainer())
                    for route in 0..<50 {
                        routes.get("\(number)/\(route)", using: OrderController.self) { _, _, _ in "" }
                        await Task.yield()
                    }
                    return routes.roots.map { $0.neededBy ?? "?" } == (0..<50).map { "GET /\(number)/\($0)" }
                        ? [] : ["mixed"]
                }
            }
            for await faults in group { #expect(faults.isEmpty) }
        }
    }
}

/// Passes the HTTP request on.
struct Passing<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        try await next(request, context)
    }
}

/// A context that is made from that of the server.
struct OtherContext: DependencyRequestContext {
    typealias Source = AppContext

    var coreContext: CoreRequestContextStorage
    var requestContainer: DependencyContainer?

    init(source: AppContext) {
        coreContext = source.coreContext
        requestContainer = source.requestContainer
    }
}

/// A context that may fail to be made.
struct InnerContext: ChildRequestContext, DependencyRequestContext {
    var coreContext: CoreRequestContextStorage
    var requestContainer: DependencyContainer?

    init(context: AppContext) throws {
        coreContext = context.coreContext
        requestContainer = context.requestContainer
    }
}

/// A group of an application, which adds a part to each path.
private struct Foreign<Context: RequestContext>: RouterMethods {
    let parent: RouterGroup<Context>

    func on<Responder: HTTPResponder>(
        _ path: RouterPath, method: HTTPRequest.Method, responder: Responder
    ) -> Self where Responder.Context == Context {
        parent.on(RouterPath("added").appendingPath(path), method: method, responder: responder)
        return self
    }

    func add(middleware: any MiddlewareProtocol<Request, Response, Context>) -> Self { self }
}
