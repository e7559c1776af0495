import Hummingbird
import NIOCore

/// Reads the whole body of an HTTP request before `AdmissionMiddleware` counts the request.
///
/// An incomplete body takes a connection and at most `mostBytes` of memory, but does not count towards the request limit.
/// `RequestDeadline` limits the time that it may take.
struct BodyMiddleware: RouterMiddleware {
    typealias Context = ShopContext

    /// The limit for bodies: no request of the shop needs more.
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
        // A cancelled task means that the connection is being closed, so the body may be incomplete.
        if Task.isCancelled { throw ShopError.incompleteBody }
        return try await next(request, context)
    }
}
