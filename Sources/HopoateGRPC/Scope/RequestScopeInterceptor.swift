#if GRPC
    public import GRPCCore
    public import Hopoate
    public import Logging

    /// An interceptor that gives each RPC a child container, and shuts the child down when the RPC ends.
    ///
    /// ```swift
    /// import GRPCCore
    /// import HopoateGRPC
    ///
    /// func makeServer<T: ServerTransport>(_ transport: T, _ services: [any RegistrableRPCService]) -> GRPCServer<T> {
    ///     GRPCServer(
    ///         transport: transport, services: services,
    ///         interceptors: [
    ///             RequestScopeInterceptor(container) { child, metadata, context in
    ///                 child.register(metadata, for: Metadata.self)
    ///             }
    ///         ])
    /// }
    /// ```
    ///
    /// Handlers, response streams and later interceptors read the child as `context.dependencies`. It is not bound as
    /// `DependencyContainer.shared`.
    ///
    /// The scope ends once:
    ///
    /// - If a handler, a later interceptor or the closure of `RequestScopeInterceptor` fails, the scope ends before the client gets the
    ///   status.
    /// - If there is a response, the scope ends after its last message was written, and before the client gets the status. It also ends
    ///   if the stream of the response fails.
    /// - If the response is never written, the scope ends when the response is released. This happens if the client has cancelled the RPC,
    ///   or if an earlier interceptor replaces the response.
    ///
    /// The server reports the cancellation of an RPC to its handler, but does not cancel the task of the handler. The scope ends when
    /// the handler and its stream have returned or thrown. So `resolve` never traps in a handler that has not noticed the cancellation
    /// yet. Writing to a cancelled RPC throws. If a stream waits for something else, use `withRPCCancellationHandler`.
    ///
    /// At the end, disposal hooks run in the reverse order of creation. Asynchronous hooks are awaited, and cancelling the server does
    /// not cancel them. The errors of hooks are logged, and never change the result of the RPC.
    ///
    /// A `DependencyError` that passes the interceptor is logged in full at the level `error`. The client gets the status
    /// `internalError` without a text. An error because of a cancelled task becomes the status `cancelled`.
    ///
    /// - Note: Concurrency. Immutable and thread-safe. Each RPC has a child of its own.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public struct RequestScopeInterceptor: ServerInterceptor {
        /// Registers the values of an RPC.
        public typealias Preparation = @Sendable (DependencyContainer, Metadata, ServerContext) async throws -> Void

        private let parent: DependencyContainer
        private let logger: Logger?
        private let prepare: Preparation

        /// Creates an interceptor.
        ///
        /// - Parameters:
        ///   - parent: The container of the application.
        ///   - logger: The logger for errors; nil for the current logger of the RPC's task.
        ///   - prepare: Registers services that only the child has, such as the user of the RPC. If it throws, no handler runs. An
        ///     `RPCError` is the result of the RPC.
        /// - Complexity: Constant.
        public init(
            _ parent: DependencyContainer = .shared, logger: Logger? = nil,
            prepare: @escaping Preparation = { _, _, _ in }
        ) {
            self.parent = parent
            self.logger = logger
            self.prepare = prepare
        }

        /// Passes the RPC on with a child container, and arranges that the child is shut down.
        ///
        /// - Parameters:
        ///   - request: The metadata and the messages of the client.
        ///   - context: Describes the RPC.
        ///   - next: The later interceptors, and the handler.
        /// - Returns: The response of the handler. Its stream ends the scope.
        /// - Throws: The error of the closure or of the handler; an `RPCError` in place of a `DependencyError` or a `CancellationError`.
        /// - Complexity: That of `makeChild()`, plus the closure and the handler.
        public func intercept<Input: Sendable, Output: Sendable>(
            request: StreamingServerRequest<Input>, context: ServerContext,
            next:
                @Sendable (StreamingServerRequest<Input>, ServerContext) async throws -> StreamingServerResponse<Output>
        ) async throws -> StreamingServerResponse<Output> {
            let child = parent.makeChild()
            let report = FailureReport(method: context.descriptor, logger: logger ?? .current)
            let end = ScopeEnd(of: child, report: report.log)
            var response: StreamingServerResponse<Output>
            do {
                try await prepare(child, request.metadata, context)
                response = try await ServerContext.$container.withValue(child) { try await next(request, context) }
            } catch {
                let visible = report.visibleError(for: error)
                await end.reach()
                throw visible
            }
            switch response.accepted {
            case .success(let contents):
                response.accepted = .success(contents.followed(by: end, report: report))
            case .failure(let error):
                // A later interceptor makes the server wrap the error of a handler.
                response.accepted = .failure(report.visibleError(in: error))
                await end.reach()
            }
            return response
        }
    }
#endif
