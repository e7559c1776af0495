#if Hummingbird
    public import Hopoate
    public import Hummingbird
    import Logging

    /// A request context that carries the container of its HTTP request.
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
    /// ```
    ///
    /// ``RequestScope`` sets the container. Handlers and later middlewares read ``dependencies``. If a group of routes has another
    /// type of context, copy `requestContainer` in its initializer.
    ///
    /// - Note: Concurrency. The same as for every `RequestContext`: a value that is passed from one middleware to the next.
    public protocol DependencyRequestContext: RequestContext {
        /// The container of the HTTP request; nil before ``RequestScope`` sets it.
        var requestContainer: DependencyContainer? { get set }
    }

    extension DependencyRequestContext {
        /// The container of the HTTP request.
        ///
        /// ```swift
        /// import HopoateHummingbird
        /// import Hummingbird
        ///
        /// func cart(_ request: Request, _ context: some DependencyRequestContext) throws -> String {
        ///     "\(try context.dependencies.require(Cart.self))"
        /// }
        /// ```
        ///
        /// - Throws: ``MissingRequestScope`` if no ``RequestScope`` comes before the route. The error is also logged, because
        ///   Hummingbird answers it with status 500 and an empty body.
        public var dependencies: DependencyContainer {
            get throws(MissingRequestScope) {
                if let requestContainer { return requestContainer }
                let error = MissingRequestScope(path: endpointPath ?? "?")
                logger.error("\(error)")
                throw error
            }
        }
    }

    /// The error of a route without a ``RequestScope``.
    ///
    /// - Note: Concurrency. Immutable and thread-safe.
    public struct MissingRequestScope: Error, CustomStringConvertible {
        /// The path of the route, as it was added to the router.
        public let path: String

        /// The route, and how to give it a request scope.
        public var description: String {
            "The route '\(path)' has no request scope. Add the middleware `RequestScope` to its router or group, before the route."
        }
    }
#endif
