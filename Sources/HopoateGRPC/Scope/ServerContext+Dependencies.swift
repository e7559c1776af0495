#if GRPC
    public import GRPCCore
    public import Hopoate
    import Logging

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension ServerContext {
        /// The container of the RPC that the current task handles. A context has no storage for it.
        @TaskLocal static var container: DependencyContainer?

        /// The container of the RPC.
        ///
        /// ```swift
        /// import GRPCCore
        /// import HopoateGRPC
        ///
        /// func cart(_ request: ServerRequest<[UInt8]>, _ context: ServerContext) throws -> ServerResponse<[UInt8]> {
        ///     let cart = try context.dependencies.require(Cart.self)
        ///     return ServerResponse(message: Array("\(cart)".utf8))
        /// }
        /// ```
        ///
        /// ``RequestScopeInterceptor`` binds it to the task of the RPC. Child tasks, task groups and `Task { }` inherit it. For
        /// `Task.detached`, Dispatch queues and callbacks of event loops, read it before, and pass it on.
        ///
        /// - Throws: ``MissingRequestScopeInterceptor`` if no ``RequestScopeInterceptor`` intercepts the RPC. The error is also logged, because
        ///   the client only gets the status `internalError`.
        public var dependencies: DependencyContainer {
            get throws(MissingRequestScopeInterceptor) {
                if let container = ServerContext.container { return container }
                let error = MissingRequestScopeInterceptor(method: descriptor.fullyQualifiedMethod)
                Logger.current.error("\(error)")
                throw error
            }
        }
    }

    /// The error of an RPC without a ``RequestScopeInterceptor``.
    ///
    /// - Note: Concurrency. Immutable and thread-safe.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public struct MissingRequestScopeInterceptor: Error, CustomStringConvertible, RPCErrorConvertible {
        /// The method of the RPC, such as `greeter.Greeter/Greet`.
        public let method: String

        /// The method, and how to give it a request scope.
        public var description: String {
            """
            The RPC '\(method)' has no request scope. Add a `RequestScopeInterceptor` to the interceptors of its server, and read \
            `dependencies` in the task of the RPC.
            """
        }

        /// The status that the client gets: `internalError`.
        public var rpcErrorCode: RPCError.Code { .internalError }

        /// The text that the client gets: none.
        public var rpcErrorMessage: String { "" }
    }
#endif
