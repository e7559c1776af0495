#if Hummingbird
    public import Hopoate
    public import Hummingbird

    @available(macOS 14, *)
    extension RouterMethods where Context: DependencyRequestContext {
        /// Adds a route that a method of a controller answers. The controller is resolved for each HTTP request.
        ///
        /// ```swift
        /// import HopoateHummingbird
        /// import Hummingbird
        ///
        /// struct OrderController<Context: DependencyRequestContext> {
        ///     @Sendable func show(_ request: Request, context: Context) async throws -> String {
        ///         "order \(try context.parameters.require("id"))"
        ///     }
        /// }
        ///
        /// func addRoutes<Context: DependencyRequestContext>(to router: Router<Context>) {
        ///     router.on("orders/:id", method: .get, using: OrderController<Context>.show)
        /// }
        /// ```
        ///
        /// `asyncResolve` resolves the controller from the container of the HTTP request. So its dependencies may be created
        /// asynchronously. If this fails, the response has status 500, and the error is logged (``RequestScope``).
        ///
        /// A route of ``DependencyRoutes`` is a root of validation. A route that is added to a plain router is not, so a missing
        /// registration shows at the first HTTP request.
        ///
        /// - Parameters:
        ///   - path: The path of the route.
        ///   - method: The method of the HTTP requests.
        ///   - handler: A method of the controller, such as `OrderController.show`.
        ///   - name: The name that the controller is registered with; nil for a controller without a name.
        /// - Returns: The router, for further routes.
        /// - Complexity: Constant. An HTTP request costs that of `asyncResolve` for the controller, plus its method.
        @discardableResult
        public func on<Controller, Output: ResponseGenerator>(
            _ path: RouterPath, method: HTTPRequest.Method,
            using handler: @escaping @Sendable (Controller) -> (Request, Context) async throws -> Output,
            named name: DependencyName? = nil, fileID: StaticString = #fileID, line: UInt = #line
        ) -> Self {
            mount(path, method: method, named: name, fileID: fileID, line: line) { controller, request, context in
                try await handler(controller)(request, context)
            }
        }

        /// Adds a route for `GET` that a method of a controller answers.
        ///
        /// The same as ``on(_:method:using:named:fileID:line:)``.
        ///
        /// - Returns: The router, for further routes.
        /// - Complexity: Constant.
        @discardableResult
        public func get<Controller, Output: ResponseGenerator>(
            _ path: RouterPath = "",
            using handler: @escaping @Sendable (Controller) -> (Request, Context) async throws -> Output,
            named name: DependencyName? = nil, fileID: StaticString = #fileID, line: UInt = #line
        ) -> Self {
            on(path, method: .get, using: handler, named: name, fileID: fileID, line: line)
        }

        /// Adds a route for `POST` that a method of a controller answers.
        ///
        /// The same as ``on(_:method:using:named:fileID:line:)``.
        ///
        /// - Returns: The router, for further routes.
        /// - Complexity: Constant.
        @discardableResult
        public func post<Controller, Output: ResponseGenerator>(
            _ path: RouterPath = "",
            using handler: @escaping @Sendable (Controller) -> (Request, Context) async throws -> Output,
            named name: DependencyName? = nil, fileID: StaticString = #fileID, line: UInt = #line
        ) -> Self {
            on(path, method: .post, using: handler, named: name, fileID: fileID, line: line)
        }

        /// Adds a route for `PUT` that a method of a controller answers.
        ///
        /// The same as ``on(_:method:using:named:fileID:line:)``.
        ///
        /// - Returns: The router, for further routes.
        /// - Complexity: Constant.
        @discardableResult
        public func put<Controller, Output: ResponseGenerator>(
            _ path: RouterPath = "",
            using handler: @escaping @Sendable (Controller) -> (Request, Context) async throws -> Output,
            named name: DependencyName? = nil, fileID: StaticString = #fileID, line: UInt = #line
        ) -> Self {
            on(path, method: .put, using: handler, named: name, fileID: fileID, line: line)
        }

        /// Adds a route for `PATCH` that a method of a controller answers.
        ///
        /// The same as ``on(_:method:using:named:fileID:line:)``.
        ///
        /// - Returns: The router, for further routes.
        /// - Complexity: Constant.
        @discardableResult
        public func patch<Controller, Output: ResponseGenerator>(
            _ path: RouterPath = "",
            using handler: @escaping @Sendable (Controller) -> (Request, Context) async throws -> Output,
            named name: DependencyName? = nil, fileID: StaticString = #fileID, line: UInt = #line
        ) -> Self {
            on(path, method: .patch, using: handler, named: name, fileID: fileID, line: line)
        }

        /// Adds a route for `DELETE` that a method of a controller answers.
        ///
        /// The same as ``on(_:method:using:named:fileID:line:)``.
        ///
        /// - Returns: The router, for further routes.
        /// - Complexity: Constant.
        @discardableResult
        public func delete<Controller, Output: ResponseGenerator>(
            _ path: RouterPath = "",
            using handler: @escaping @Sendable (Controller) -> (Request, Context) async throws -> Output,
            named name: DependencyName? = nil, fileID: StaticString = #fileID, line: UInt = #line
        ) -> Self {
            on(path, method: .delete, using: handler, named: name, fileID: fileID, line: line)
        }
    }
#endif
