import Hummingbird

/// Gives each request what its routes get their controllers from: in the shop, a container of its own.
struct ScopeMiddleware: RouterMiddleware {
    typealias Context = ShopContext

    let wiring: any Wiring

    func handle(
        _ request: Request, context: ShopContext, next: (Request, ShopContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        wiring.begin(&context)
        return try await next(request, context)
    }
}
