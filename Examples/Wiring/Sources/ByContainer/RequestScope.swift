import Components
import Hopoate
import HopoateHummingbird
import Hummingbird

struct AppContext: DependencyRequestContext {
    var coreContext: CoreRequestContextStorage
    var requestContainer: DependencyContainer?

    init(source: Source) { coreContext = .init(source: source) }
}

/// Gives each HTTP request a session.
func openSession(_ child: DependencyContainer, _ request: Request, _ context: AppContext) throws {
    guard let user = request.headers[.user] else { throw HTTPError(.unauthorized) }
    child.register(Session(user: user), for: Session.self)
}

/// Commits the transaction of an HTTP request if the handler succeeds.
struct CommitOnSuccess: RouterMiddleware {
    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        let transaction = try await context.dependencies.asyncResolve(Transaction.self)
        let response = try await next(request, context)
        if response.status.kind == .successful { try await transaction.commit() }
        return response
    }
}
