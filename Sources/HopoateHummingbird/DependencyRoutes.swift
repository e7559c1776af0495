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
    ///     let routes = router.scoped(to: app) { request, context in
    ///         RequestID(text: context.id)
    ///     }
    ///     routes.get("orders/:id", using: OrderController.show)
    ///     try routes.seal(.strict)
    ///     return router
    /// }
    /// ```
    ///
    /// If the registration of `OrderController` is forgotten, `makeRouter` throws an error that names `GET /orders/{id}`, its place in
    /// the source and the type. The routes know the type of the value that each HTTP request brings, so validation does, too.
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
        /// Registers the types of the values that each HTTP request brings, in a child that stands for one.
        ///
        /// ```swift
        /// import HopoateHummingbird
        /// import Hummingbird
        ///
        /// func addPage(to router: Router<some DependencyRequestContext>, _ app: DependencyContainer) {
        ///     let routes = router.scoped(to: app) { request, context in request.head }
        ///     router.addSnapshotPage("internal/dependencies", of: app, prepare: routes.registerValueTypes)
        /// }
        /// ```
        ///
        /// Use it for checks and drawings: the types have no values, so to resolve one traps. Does nothing if the routes were made with a
        /// closure that registers the values by itself.
        ///
        /// - Complexity: O(n) in the number of values.
        public let registerValueTypes: @Sendable (DependencyContainer) -> Void

        /// The path of the group; nil if it cannot be found out.
        let fullPath: RouterPath?
        init(
            _ parent: some RouterMethods<Context>, _ container: DependencyContainer,
            _ tenant: RequestScope<Context>.Tenant?, logsErrors: Bool,
            _ preparation: RequestScope<Context>.AnyPreparation,
            registerValueTypes: @escaping @Sendable (DependencyContainer) -> Void = { _ in }
        ) {
            self.registerValueTypes = registerValueTypes
            scope = RequestScope(container, tenant, logsErrors: logsErrors, preparation)
            outside = parent.group()
            inside = parent.group().add(middleware: scope)
            fullPath = HopoateHummingbird.fullPath(of: parent)
        }

        /// The services that routes resolve with `using:`, in the order in which the routes were added.
        ///
        /// The text of each is the method and the path, as Hummingbird spells them: `GET /orders/{id}`. The place is that of the route.
        /// ``validate(_:roots:prepare:)`` adds the services that middlewares and other handlers resolve:
        ///
        /// ```swift
        /// import HopoateHummingbird
        /// import Hummingbird
        ///
        /// func validate(_ routes: DependencyRoutes<some DependencyRequestContext>) throws {
        ///     try routes.validate(roots: [DependencyRoot(Database.self, neededBy: "the audit middleware")])
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

        /// Closes the container for registrations, and checks it with the services of these routes.
        ///
        /// ```swift
        /// import HopoateHummingbird
        ///
        /// func check(_ routes: DependencyRoutes<some DependencyRequestContext>) throws {
        ///     try routes.seal(.strict)
        /// }
        /// ```
        ///
        /// The same as `DependencyContainer.seal(_:roots:prepare:)`, with ``roots`` and the types of the values that each HTTP request
        /// brings. Call it after all routes have been added and before the server starts.
        ///
        /// - Parameters:
        ///   - rules: The mistakes to look for.
        ///   - others: The services that other code resolves, such as middlewares and background work.
        ///   - prepare: Registers the services that the closure of `scoped(to:prepare:)` registers for each HTTP request. Nothing is
        ///     created, so the values need not be real.
        /// - Returns: The number of checked registrations, and the registrations with factory closures.
        /// - Throws: The same errors as ``validate(_:roots:prepare:)``.
        /// - Complexity: That of the validation.
        @discardableResult
        public func seal(
            _ rules: DependencyValidationRules = .standard, roots others: [DependencyRoot] = [],
            fileID: StaticString = #fileID, line: UInt = #line, prepare: (DependencyContainer) throws -> Void = { _ in }
        ) throws -> DependencyValidationReport {
            scope.parent.seal(fileID: fileID, line: line)
            return try validate(rules, roots: others, prepare: prepare)
        }

        /// Checks that the services of all recorded routes, and the services that they need, are registered.
        ///
        /// The same as `DependencyContainer.validate(_:roots:prepare:)` of the container of these routes, with ``roots`` and the types of
        /// the values that each HTTP request brings. Call it after all routes have been added and before the server starts.
        ///
        /// - Parameters:
        ///   - rules: The mistakes to look for.
        ///   - others: The services that other code resolves, such as middlewares and background work.
        ///   - prepare: Registers the services that the closure of `scoped(to:prepare:)` registers for each HTTP request. Nothing is
        ///     created, so the values need not be real.
        /// - Returns: The number of checked registrations, and the registrations with factory closures.
        /// - Throws: `DependencyValidationError` with all findings and the routes that they concern, or the error of `prepare`.
        /// - Complexity: That of `DependencyContainer.validate(_:roots:prepare:)`.
        @discardableResult
        public func validate(
            _ rules: DependencyValidationRules = .standard, roots others: [DependencyRoot] = [],
            prepare: (DependencyContainer) throws -> Void = { _ in }
        ) throws -> DependencyValidationReport {
            try scope.parent.validate(rules, roots: roots + others) { child in
                try prepare(child)
                registerValueTypes(child)
            }
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
        ///   - tenant: The tenants of HTTP requests; see ``RequestScope``.
        ///   - logsErrors: Whether the scope logs errors; see ``RequestScope``.
        ///   - prepare: Registers services that only the child has, such as the user of the HTTP request.
        /// - Returns: The routes, as a part of this router or group.
        /// - Complexity: Constant.
        public func scoped(
            to container: DependencyContainer, tenant: RequestScope<Context>.Tenant? = nil, logsErrors: Bool = true,
            prepare: @escaping RequestScope<Context>.SynchronousPreparation = { _, _, _ in }
        ) -> DependencyRoutes<Context> {
            DependencyRoutes(self, container, tenant, logsErrors: logsErrors, .synchronous(prepare))
        }

        /// Returns routes behind a ``RequestScope`` with a closure that may suspend, for example to authenticate the user.
        ///
        /// The same as the form with a closure that does not suspend, which is faster.
        ///
        /// - Returns: The routes, as a part of this router or group.
        /// - Complexity: Constant.
        public func scoped(
            to container: DependencyContainer, tenant: RequestScope<Context>.Tenant? = nil, logsErrors: Bool = true,
            prepare: @escaping RequestScope<Context>.Preparation
        ) -> DependencyRoutes<Context> {
            DependencyRoutes(self, container, tenant, logsErrors: logsErrors, .asynchronous(prepare))
        }

        /// Returns routes behind a ``RequestScope``, with the values that each HTTP request brings.
        ///
        /// ```swift
        /// import HopoateHummingbird
        /// import Hummingbird
        ///
        /// struct RequestID: Sendable {
        ///     let text: String
        /// }
        ///
        /// func addRoutes(to router: Router<some DependencyRequestContext>, _ app: DependencyContainer) throws {
        ///     let routes = router.scoped(to: app) { request, context in
        ///         (RequestID(text: context.id), request.head)
        ///     }
        ///     routes.get("id", using: RequestID.self) { id, request, context in id.text }
        ///     try routes.seal(.strict)
        /// }
        /// ```
        ///
        /// The child of an HTTP request has each value registered under its type. The types are known without an HTTP request, so
        /// ``DependencyRoutes/validate(_:roots:prepare:)`` and ``DependencyRoutes/seal(_:roots:fileID:line:prepare:)`` need no examples.
        /// A closure of several statements that returns one value states its type: `{ request, context -> RequestID in … }`.
        ///
        /// - Parameters:
        ///   - container: The container of the application.
        ///   - tenant: The tenants of HTTP requests; see ``RequestScope``.
        ///   - logsErrors: Whether the scope logs errors; see ``RequestScope``.
        ///   - values: Returns the values of an HTTP request. Errors are answered as those of ``RequestScope``.
        /// - Returns: The routes, as a part of this router or group.
        /// - Complexity: Constant.
        public func scoped<each Value: Sendable>(
            to container: DependencyContainer, tenant: RequestScope<Context>.Tenant? = nil, logsErrors: Bool = true,
            fileID: StaticString = #fileID, line: UInt = #line,
            values: @escaping @Sendable (Request, Context) throws -> (repeat each Value)
        ) -> DependencyRoutes<Context> {
            let preparation = RequestScope<Context>.AnyPreparation.synchronous { child, request, context in
                let values = try values(request, context)
                repeat child.registerValue(each values, fileID, line)
            }
            return DependencyRoutes(self, container, tenant, logsErrors: logsErrors, preparation) { child in
                repeat child.registerType((each Value).self, fileID, line)
            }
        }

        /// Returns routes behind a ``RequestScope`` with values that a closure may suspend for, for example to authenticate the user.
        ///
        /// The same as the form with a closure that does not suspend, which is faster.
        ///
        /// - Returns: The routes, as a part of this router or group.
        /// - Complexity: Constant.
        public func scoped<each Value: Sendable>(
            to container: DependencyContainer, tenant: RequestScope<Context>.Tenant? = nil, logsErrors: Bool = true,
            fileID: StaticString = #fileID, line: UInt = #line,
            values: @escaping @Sendable (Request, Context) async throws -> (repeat each Value)
        ) -> DependencyRoutes<Context> {
            let preparation = RequestScope<Context>.AnyPreparation.asynchronous { child, request, context in
                let values = try await values(request, context)
                repeat child.registerValue(each values, fileID, line)
            }
            return DependencyRoutes(self, container, tenant, logsErrors: logsErrors, preparation) { child in
                repeat child.registerType((each Value).self, fileID, line)
            }
        }
    }

    extension DependencyContainer {
        /// Registers a value of an HTTP request under its type.
        fileprivate func registerValue<Value: Sendable>(_ value: Value, _ fileID: StaticString, _ line: UInt) {
            register(value, for: Value.self, fileID: fileID, line: line)
        }

        /// Registers a type without a value, for checks. To resolve it traps.
        fileprivate func registerType<Value: Sendable>(
            _ type: Value.Type, _ fileID: StaticString, _ line: UInt
        ) {
            register(
                type, fileID: fileID, line: line,
                using: { () -> Value in
                    let label = typeLabel(type)
                    fatalError("'\(label)' has a value in HTTP requests only.")
                })
        }
    }
#endif
