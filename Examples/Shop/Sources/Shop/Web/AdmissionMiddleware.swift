import Hummingbird
import Synchronization

/// Lets so many requests in at once, and sends the others away at once: a queue would only make all of them late.
///
/// It comes after `BodyMiddleware`: a request takes a place when it has arrived as a whole.
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
