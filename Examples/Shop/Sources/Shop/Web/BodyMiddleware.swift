import Hummingbird
import NIOCore

/// Reads the whole body of a request before the request takes one of the places that `AdmissionMiddleware` counts.
///
/// A body that does not arrive costs its connection and at most `mostBytes` of memory, and no place. `RequestDeadline`
/// limits how long it may take.
struct BodyMiddleware: RouterMiddleware {
    typealias Context = ShopContext

    /// No request of the shop needs more.
    static let mostBytes = 16 * 1_024

    func handle(
        _ request: Request, context: ShopContext, next: (Request, ShopContext) async throws -> Response
    ) async throws -> Response {
        var request = request
        do {
            _ = try await request.collectBody(upTo: Self.mostBytes)
        } catch is NIOTooManyBytesError {
            throw ShopError.bodyTooLarge
        } catch is RequestTooSlow {
            throw ShopError.requestTooSlow
        } catch {
            throw ShopError.incompleteBody
        }
        // A cancelled task means that the connection is being closed: the body may be incomplete.
        if Task.isCancelled { throw ShopError.incompleteBody }
        return try await next(request, context)
    }
}
