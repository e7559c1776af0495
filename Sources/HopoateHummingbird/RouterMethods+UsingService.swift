#if Hummingbird
    public import Hopoate
    public import Hummingbird

    @available(macOS 14, *)
    extension RouterMethods where Context: DependencyRequestContext {
        /// Adds a route that resolves a service for each HTTP request and passes it to the handler.
        ///
        /// ```swift
        /// import HopoateHummingbird
        /// import Hummingbird
        ///
        /// func addRoutes(to router: Router<some DependencyRequestContext>) {
        ///     router.on("carts/:id", method: .get, using: Cart.self) { cart, request, context in
        ///         "\(cart) \(try context.parameters.require("id"))"
        ///     }
        /// }
        /// ```
        ///
        /// The service is resolved in the same way as the controller of ``on(_:method:using:named:fileID:line:)``.
        ///
        /// - Parameters:
        ///   - path: The path of the route.
        ///   - method: The method of the HTTP requests.
        ///   - service: The type that the service is registered under.
        ///   - name: The name that the service is registered with; nil for a service without a name.
        ///   - handler: Answers an HTTP request with the service.
        /// - Returns: The router, for further routes.
        /// - Complexity: Constant. An HTTP request costs that of `asyncResolve` for the service, plus the handler.
        @discardableResult
        public func on<Service, Output: ResponseGenerator>(
            _ path: RouterPath, method: HTTPRequest.Method, using service: Service.Type,
            named name: DependencyName? = nil,
            fileID: StaticString = #fileID, line: UInt = #line,
            handler: @escaping @Sendable (Service, Request, Context) async throws -> Output
        ) -> Self {
            mount(path, method: method, named: name, fileID: fileID, line: line, handler: handler)
        }

        /// Adds a route for `GET` that resolves a service and passes it to the handler.
        ///
        /// The same as ``on(_:method:using:named:fileID:line:handler:)``.
        ///
        /// - Returns: The router, for further routes.
        /// - Complexity: Constant.
        @discardableResult
        public func get<Service, Output: ResponseGenerator>(
            _ path: RouterPath = "", using service: Service.Type, named name: DependencyName? = nil,
            fileID: StaticString = #fileID, line: UInt = #line,
            handler: @escaping @Sendable (Service, Request, Context) async throws -> Output
        ) -> Self {
            on(path, method: .get, using: service, named: name, fileID: fileID, line: line, handler: handler)
        }

        /// Adds a route for `POST` that resolves a service and passes it to the handler.
        ///
        /// The same as ``on(_:method:using:named:fileID:line:handler:)``.
        ///
        /// - Returns: The router, for further routes.
        /// - Complexity: Constant.
        @discardableResult
        public func post<Service, Output: ResponseGenerator>(
            _ path: RouterPath = "", using service: Service.Type, named name: DependencyName? = nil,
            fileID: StaticString = #fileID, line: UInt = #line,
            handler: @escaping @Sendable (Service, Request, Context) async throws -> Output
        ) -> Self {
            on(path, method: .post, using: service, named: name, fileID: fileID, line: line, handler: handler)
        }

        /// Adds a route for `PUT` that resolves a service and passes it to the handler.
        ///
        /// The same as ``on(_:method:using:named:fileID:line:handler:)``.
        ///
        /// - Returns: The router, for further routes.
        /// - Complexity: Constant.
        @discardableResult
        public func put<Service, Output: ResponseGenerator>(
            _ path: RouterPath = "", using service: Service.Type, named name: DependencyName? = nil,
            fileID: StaticString = #fileID, line: UInt = #line,
            handler: @escaping @Sendable (Service, Request, Context) async throws -> Output
        ) -> Self {
            on(path, method: .put, using: service, named: name, fileID: fileID, line: line, handler: handler)
        }

        /// Adds a route for `PATCH` that resolves a service and passes it to the handler.
        ///
        /// The same as ``on(_:method:using:named:fileID:line:handler:)``.
        ///
        /// - Returns: The router, for further routes.
        /// - Complexity: Constant.
        @discardableResult
        public func patch<Service, Output: ResponseGenerator>(
            _ path: RouterPath = "", using service: Service.Type, named name: DependencyName? = nil,
            fileID: StaticString = #fileID, line: UInt = #line,
            handler: @escaping @Sendable (Service, Request, Context) async throws -> Output
        ) -> Self {
            on(path, method: .patch, using: service, named: name, fileID: fileID, line: line, handler: handler)
        }

        /// Adds a route for `DELETE` that resolves a service and passes it to the handler.
        ///
        /// The same as ``on(_:method:using:named:fileID:line:handler:)``.
        ///
        /// - Returns: The router, for further routes.
        /// - Complexity: Constant.
        @discardableResult
        public func delete<Service, Output: ResponseGenerator>(
            _ path: RouterPath = "", using service: Service.Type, named name: DependencyName? = nil,
            fileID: StaticString = #fileID, line: UInt = #line,
            handler: @escaping @Sendable (Service, Request, Context) async throws -> Output
        ) -> Self {
            on(path, method: .delete, using: service, named: name, fileID: fileID, line: line, handler: handler)
        }
    }
#endif
