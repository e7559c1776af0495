#if Hummingbird
    public import Hopoate
    public import Hummingbird

    /// Routes behind a ``RequestScope`` that know which services they need, so that they can be validated before the server starts.
    ///
    /// ```swift
    /// import HopoateHummingbird
    /// import Hummingbird
    ///
    /// struct AppContext: DependencyRequestContext {
    ///     var coreContext: CoreRequestContextStorage
    ///     var requestContainer: DependencyContainer?
    ///
    ///     init(source: Source) { coreContext = .init(source: source) }
    /// }
    ///
    /// struct RequestID: Sendable {
    ///     let text: String
    /// }
    ///
    /// struct OrderController {
    ///     @Sendable func show(_ request: Request, context: AppContext) async throws -> String {
    ///         "order \(try context.parameters.require("id"))"
    ///     }
    /// }
    ///
    /// func makeRouter(_ app: DependencyContainer) throws -> Router<AppContext> {
    ///     let router = Router(context: AppContext.self)
    ///     let routes = router.scoped(to: app) { child, request, context in
    ///         child.register(RequestID(text: context.id), for: RequestID.self)
    ///     }
    ///     routes.get("orders/:id", using: OrderController.show)
    ///     try routes.validate { child in
    ///         child.register(RequestID(text: ""), for: RequestID.self)
    ///     }
    ///     return router
    /// }
    /// ```
    ///
    /// If the registration of `OrderController` is forgotten, `makeRouter` throws an error that names `GET /orders/{id}`, its place in
    /// the source and the type.
    ///
    /// Routes with `using:` are recorded, also if they are added to a group of these routes, to a group with another type of context, by
    /// generic code over `RouterMethods`, or from a `RouteCollection`. ``unknown`` lists the others. The routes of a `scoped(to:)` inside
    /// of these routes are recorded there only, because they resolve from the inner container.
    ///
    /// A route with `using:` makes the child itself if no middleware comes between the scope and the route. This saves the costs of a
    /// middleware.
    ///
    /// - Note: Concurrency. Not thread-safe, like a `Router`. Add all routes before the server starts.
    @available(macOS 14, *)
    public struct DependencyRoutes<Context: DependencyRequestContext>: RouterMethods {
        /// The routes so far. A class, because Hummingbird's methods do not mutate the router that they add to.
        private final class Record {
            var roots: [DependencyRoot] = []
            var unknown: [String] = []
            var hasMiddleware = false
        }

        private let scope: RequestScope<Context>
        /// The routes without the scope.
        private let outside: RouterGroup<Context>
        /// The routes with the scope and with the middlewares that were added to these routes.
        private let inside: RouterGroup<Context>
        private let record = Record()
        /// The path of the group; nil if it cannot be found out.
        let fullPath: RouterPath?

        init(
            _ parent: some RouterMethods<Context>, _ container: DependencyContainer, logsErrors: Bool,
            _ preparation: RequestScope<Context>.AnyPreparation
        ) {
            scope = RequestScope(container, logsErrors: logsErrors, preparation)
            outside = parent.group()
            inside = parent.group().add(middleware: scope)
            fullPath = HopoateHummingbird.fullPath(of: parent)
        }

        /// The services that routes resolve with `using:`, in the order in which the routes were added.
        ///
        /// The text of each is the method and the path, as Hummingbird spells them: `GET /orders/{id}`. The place is that of the route.
        /// Add the services that middlewares and other handlers resolve, and pass all of them to
        /// `DependencyContainer.validate(_:roots:prepare:)`:
        ///
        /// ```swift
        /// import HopoateHummingbird
        /// import Hummingbird
        ///
        /// func validate(_ routes: DependencyRoutes<some DependencyRequestContext>, in app: DependencyContainer) throws {
        ///     let audit = DependencyRoot(Database.self, neededBy: "the audit middleware")
        ///     try app.validate(roots: routes.roots + [audit])
        /// }
        /// ```
        ///
        /// - Complexity: Constant.
        public var roots: [DependencyRoot] { record.roots }

        /// The routes whose services are not known, in the order in which they were added, such as `GET /invoices`.
        ///
        /// These are the routes with a plain handler, and those of a `RouteCollection` that has middlewares of its own: add these to a
        /// group instead. A test may require that there are no such routes.
        ///
        /// - Complexity: Constant.
        public var unknown: [String] { record.unknown }

        /// Checks that the services of all recorded routes, and the services that they need, are registered.
        ///
        /// The same as `DependencyContainer.validate(_:roots:prepare:)` of the container of these routes, with ``roots``. Call it after
        /// all routes have been added and before the server starts.
        ///
        /// - Parameters:
        ///   - rules: The mistakes to look for.
        ///   - prepare: Registers the services that the closure of `scoped(to:)` registers for each HTTP request. Nothing is
        ///     created, so the values need not be real.
        /// - Returns: The number of checked registrations, and the registrations with factory closures.
        /// - Throws: `DependencyValidationError` with all findings and the routes that they concern, or the error of `prepare`.
        /// - Complexity: That of `DependencyContainer.validate(_:roots:prepare:)`.
        @discardableResult
        public func validate(
            _ rules: DependencyValidationRules = .standard, prepare: (DependencyContainer) throws -> Void = { _ in }
        ) throws -> DependencyValidationReport {
            try scope.parent.validate(rules, roots: roots, prepare: prepare)
        }

        /// Adds a route. Hummingbird's other methods call this one.
        ///
        /// - Parameters:
        ///   - path: The path of the route.
        ///   - method: The method of the HTTP requests.
        ///   - responder: Answers the HTTP requests.
        /// - Returns: These routes, for further ones.
        /// - Complexity: Amortised constant.
        @discardableResult
        public func on<Responder: HTTPResponder>(
            _ path: RouterPath, method: HTTPRequest.Method, responder: Responder
        ) -> Self where Responder.Context == Context {
            let route = "\(method.rawValue) \(fullPath.map { $0.appendingPath(path).description } ?? "…\(path)")"
            if let mounted = MountedService.current ?? (responder as? any MountingResponder)?.mounted {
                if let makeRoot = mounted.makeRoot { record.roots.append(makeRoot(route)) }
            } else {
                record.unknown.append(route)
            }
            MountedService.$current.withValue(.settled) {
                if !record.hasMiddleware, let service = responder as? any MountingResponder<Context> {
                    outside.on(path, method: method, responder: service.inside(scope))
                } else {
                    inside.on(path, method: method, responder: responder)
                }
            }
            return self
        }

        /// Adds a middleware to the routes that are added after it. It runs inside the request scope.
        ///
        /// - Parameter middleware: The middleware.
        /// - Returns: These routes, for further ones.
        /// - Complexity: Amortised constant.
        @discardableResult
        public func add(middleware: any MiddlewareProtocol<Request, Response, Context>) -> Self {
            record.hasMiddleware = true
            inside.add(middleware: middleware)
            return self
        }
    }

    @available(macOS 14, *)
    extension RouterMethods where Context: DependencyRequestContext {
        /// Returns routes behind a ``RequestScope`` that record the services which they need.
        ///
        /// ```swift
        /// import HopoateHummingbird
        /// import Hummingbird
        ///
        /// func addRoutes(to router: Router<some DependencyRequestContext>, _ app: DependencyContainer) throws {
        ///     let routes = router.group("api").scoped(to: app)
        ///     routes.get("cart", using: Cart.self) { cart, request, context in
        ///         "\(cart)"
        ///     }
        ///     try routes.validate()
        /// }
        /// ```
        ///
        /// Only the returned routes and their groups have the scope. A route that is added to the router itself has none and is not
        /// recorded, and an HTTP request to an unknown path makes no child.
        ///
        /// - Parameters:
        ///   - container: The container of the application.
        ///   - logsErrors: Whether the scope logs errors; see ``RequestScope``.
        ///   - prepare: Registers services that only the child has, such as the user of the HTTP request.
        /// - Returns: The routes, as a part of this router or group.
        /// - Complexity: Constant.
        public func scoped(
            to container: DependencyContainer, logsErrors: Bool = true,
            prepare: @escaping RequestScope<Context>.SynchronousPreparation = { _, _, _ in }
        ) -> DependencyRoutes<Context> {
            DependencyRoutes(self, container, logsErrors: logsErrors, .synchronous(prepare))
        }

        /// Returns routes behind a ``RequestScope`` with a closure that may suspend, for example to authenticate the user.
        ///
        /// The same as the form with a closure that does not suspend, which is faster.
        ///
        /// - Returns: The routes, as a part of this router or group.
        /// - Complexity: Constant.
        public func scoped(
            to container: DependencyContainer, logsErrors: Bool = true,
            prepare: @escaping RequestScope<Context>.Preparation
        ) -> DependencyRoutes<Context> {
            DependencyRoutes(self, container, logsErrors: logsErrors, .asynchronous(prepare))
        }
    }
#endif
