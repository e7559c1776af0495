import Hopoate
import Hummingbird

/// Creates a container per HTTP request, from which the routes resolve their controllers.
struct ScopeMiddleware: RouterMiddleware {
    typealias Context = ShopContext

    let application: DependencyContainer
    /// Receives the container of each request.
    let didBegin: (@Sendable (DependencyContainer) -> Void)?

    func handle(
        _ request: Request, context: ShopContext, next: (Request, ShopContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.container = application.makeRequestContainer(for: context.info)
        didBegin?(context.container)
        return try await next(request, context)
    }
}

extension DependencyContainer {
    /// Returns the container of an HTTP request: a child with the request as its only registration.
    ///
    /// No service of a request has a disposal hook, so dropping the container is enough. A service with an asynchronous hook
    /// would need `shutdown()`.
    func makeRequestContainer(for request: RequestInfo) -> DependencyContainer {
        let container = makeChild()
        container.register(request, for: RequestInfo.self)
        return container
    }
}
