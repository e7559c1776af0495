#if Hummingbird
    public import Hopoate
    public import HopoateServer
    public import Hummingbird
    import Logging

    /// A middleware that gives each HTTP request a child container, and shuts the child down when the response has been written.
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
    /// func makeRouter(_ app: DependencyContainer) -> Router<AppContext> {
    ///     let router = Router(context: AppContext.self)
    ///     router.add(
    ///         middleware: RequestScope(app) { child, request, context in
    ///             child.register(request.head, for: HTTPRequest.self)
    ///         })
    ///     router.get("cart") { request, context in
    ///         "\(try context.dependencies.require(Cart.self))"
    ///     }
    ///     return router
    /// }
    /// ```
    ///
    /// The child is passed on in the context, and routes after the middleware read it as
    /// ``DependencyRequestContext/dependencies``. It is not bound as `DependencyContainer.shared`.
    ///
    /// The scope ends once:
    ///
    /// - If the handler, a later middleware or the closure of `RequestScope` throws, the scope ends before the error goes on.
    /// - If there is a response, the scope ends after the body was written or writing it has failed, for example because the client has
    ///   disconnected. If the body is never written, the scope ends when the body is released. This happens if another middleware
    ///   replaces the response.
    /// - If the body has a known length, nothing refers to the child any more, and no instance has a disposal hook, the scope ends before
    ///   the response is written.
    ///
    /// A task that outlives the HTTP request and resolves a service of it from the child gets an error with the reason `shutDown`.
    ///
    /// At the end, disposal hooks run in the reverse order of creation. Asynchronous hooks are awaited, and cancelling the HTTP
    /// request does not cancel them. The errors of hooks are logged, and never change the response.
    ///
    /// A `DependencyError` that passes the middleware is logged in full at the level `error`, and thrown on. Hummingbird
    /// answers it with status 500 and an empty body, so clients never see its text. Each error is logged once:
    ///
    /// - If a middleware outside of the scope logs the errors that it catches, pass `logsErrors: false`. Then the scope only throws the
    ///   error on. The errors of disposal hooks are still logged here, because nobody else gets them.
    /// - If there are two scopes around a route, only the outer one logs. The inner one finds the container of the outer one in the
    ///   context.
    ///
    /// - Note: Concurrency. Immutable and thread-safe. Each HTTP request has a child of its own.
    @available(macOS 14, *)
    public struct RequestScope<Context: DependencyRequestContext>: RouterMiddleware {
        /// Registers the values of an HTTP request.
        public typealias SynchronousPreparation = @Sendable (DependencyContainer, Request, Context) throws -> Void
        /// Registers the values of an HTTP request, and may suspend.
        public typealias Preparation = @Sendable (DependencyContainer, Request, Context) async throws -> Void

        /// The container of the tenant that an HTTP request belongs to.
        ///
        /// - Note: Concurrency. Immutable and thread-safe.
        public struct Tenant: Sendable {
            let container: @Sendable (Request, Context) async throws -> DependencyContainer

            /// The child of a table, by a key that each HTTP request has.
            ///
            /// It is in use until the scope of the HTTP request has ended.
            ///
            /// - Parameters:
            ///   - children: The containers of the tenants. Their parent is the container of the scope.
            ///   - key: Returns the key. If it throws, no handler runs, and the error is answered as one of the handler.
            /// - Complexity: That of `DependencyChildren.withChild` for each HTTP request.
            public static func child<Key>(
                of children: DependencyChildren<Key>, key: @escaping @Sendable (Request, Context) async throws -> Key
            ) -> Tenant {
                Tenant { request, context in try await children.child(for: key(request, context)) }
            }
        }

        /// The closure of either form of `init`. A closure that cannot suspend is not called as if it could, because that costs as much
        /// as to register a value.
        enum AnyPreparation: Sendable {
            case synchronous(SynchronousPreparation)
            case asynchronous(Preparation)
        }

        let parent: DependencyContainer
        let tenant: Tenant?
        private let logsErrors: Bool
        let preparation: AnyPreparation

        /// Creates a middleware for the routes that are added after it.
        ///
        /// - Parameters:
        ///   - parent: The container of the application.
        ///   - tenant: The tenants of the HTTP requests; nil for none. With tenants, the container of an HTTP request is a child of its tenant's
        ///     container, and that is a child of `parent`. If there is no room for another tenant, the response has status 503.
        ///   - logsErrors: Whether a `DependencyError` is logged; false if a middleware outside of the scope does so.
        ///   - prepare: Registers services that only the child has, such as the user of the HTTP request. If it throws, no handler runs.
        ///     An `HTTPError` is the response; any other error is answered with status 500.
        /// - Complexity: Constant.
        public init(
            _ parent: DependencyContainer = .shared, tenant: Tenant? = nil, logsErrors: Bool = true,
            prepare: @escaping SynchronousPreparation = { _, _, _ in }
        ) {
            self.init(parent, tenant, logsErrors: logsErrors, .synchronous(prepare))
        }

        /// Creates a middleware with a closure that may suspend, for example to authenticate the user.
        ///
        /// The same as the form with a closure that does not suspend, which is faster.
        ///
        /// - Complexity: Constant.
        public init(
            _ parent: DependencyContainer = .shared, tenant: Tenant? = nil, logsErrors: Bool = true,
            prepare: @escaping Preparation
        ) {
            self.init(parent, tenant, logsErrors: logsErrors, .asynchronous(prepare))
        }

        init(_ parent: DependencyContainer, _ tenant: Tenant?, logsErrors: Bool, _ preparation: AnyPreparation) {
            self.parent = parent
            self.tenant = tenant
            self.logsErrors = logsErrors
            self.preparation = preparation
        }

        /// Passes the HTTP request on with a child container, and arranges that the child is shut down.
        ///
        /// - Parameters:
        ///   - request: The HTTP request.
        ///   - context: The context without a container.
        ///   - next: The rest of the middlewares, and the handler.
        /// - Returns: The response of the handler. Its body ends the scope.
        /// - Throws: The error of the closure or of the handler.
        /// - Complexity: That of `makeChild()`, plus the closure and the handler.
        public func handle(
            _ request: Request, context: Context, next: (Request, Context) async throws -> Response
        ) async throws -> Response {
            var child = if let tenant { try await makeChild(of: tenant, request, context) } else { parent.makeChild() }
            do {
                switch preparation {
                case .synchronous(let prepare): try prepare(child, request, context)
                case .asynchronous(let prepare): try await prepare(child, request, context)
                }
                var inner = context
                inner.requestContainer = child
                var response = try await next(request, inner)
                inner.requestContainer = nil
                end(&child, after: &response, context)
                return response
            } catch {
                await end(child, because: error, context)
                throw error
            }
        }

        /// Makes a child of the tenant's container. The child keeps the tenant in use.
        func makeChild(
            of tenant: Tenant, _ request: Request, _ context: Context
        ) async throws -> DependencyContainer {
            do {
                return try await tenant.container(request, context).makeChild()
            } catch let error as DependencyChildrenError where error.reason == .full {
                context.logger.warning("An HTTP request was refused.", metadata: ["error": "\(error)"])
                throw HTTPError(.serviceUnavailable)
            } catch {
                if logsErrors, context.requestContainer == nil { report(error, to: context.logger) }
                throw error
            }
        }

        /// Ends the scope after the body of a response, or now if the body cannot use it. The caller has dropped all other references that
        /// it had to the container, and releases it afterwards.
        func end(_ child: inout DependencyContainer, after response: inout Response, _ context: Context) {
            // Hummingbird writes a body that it knows as a whole together with the head. It does not know a body that ends the scope.
            if response.body.contentLength != nil, DependencyContainer.endsByReleaseBeforeLastUse(&child) { return }
            response.body = response.body.followed(by: ScopeEnd(of: child, report: context.logger.logHooks))
        }

        /// Ends the scope now.
        ///
        /// - Parameter context: The context outside of this scope. If it has a container, an outer scope logs the error.
        func end(_ child: DependencyContainer, because error: any Error, _ context: Context) async {
            if logsErrors, context.requestContainer == nil { report(error, to: context.logger) }
            await child.shutdown(reportingTo: context.logger.logHooks)
        }

        private func report(_ error: any Error, to logger: Logger) {
            guard let error = error as? DependencyError else { return }
            // A call is cancelled if its task is, for example because the client has disconnected.
            logger.log(
                level: error.reason == .cancelled ? .debug : .error,
                "A service of an HTTP request could not be resolved.",
                metadata: ["error": "\(error)"])
        }
    }
#endif
