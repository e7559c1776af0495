import Hummingbird
import Synchronization

/// Limits the number of concurrent HTTP requests and refuses the others at once, because a queue would only delay all of them.
///
/// It comes after `BodyMiddleware`, so a request counts only after it has arrived completely.
struct AdmissionMiddleware: RouterMiddleware {
    typealias Context = ShopContext

    private final class Door: Sendable {
        let inside = Atomic<Int>(0)
    }

    private let limit: Int
    private let door = Door()

    init(limit: Int) {
        self.limit = limit
    }

    func handle(
        _ request: Request, context: ShopContext, next: (Request, ShopContext) async throws -> Response
    ) async throws -> Response {
        defer { door.inside.subtract(1, ordering: .relaxed) }
        guard door.inside.add(1, ordering: .relaxed).newValue <= limit else { throw ShopError.overloaded }
        return try await next(request, context)
    }
}
