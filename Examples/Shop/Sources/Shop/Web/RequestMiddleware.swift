import Hummingbird
import Logging

/// Assigns an identifier to the HTTP request, and answers every error with JSON.
struct RequestMiddleware: RouterMiddleware {
    typealias Context = ShopContext

    func handle(
        _ request: Request, context: ShopContext, next: (Request, ShopContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.info = RequestInfo(request, base: context.logger, id: context.id)
        var response: Response
        do {
            response = try await next(request, context)
        } catch {
            let failure = ShopError(error)
            log(failure, because: error, request, context)
            response = failure.response(to: context.info)
        }
        response.headers[.requestID] = context.info.id
        return response
    }

    private func log(_ failure: ShopError, because error: any Error, _ request: Request, _ context: ShopContext) {
        // Refused requests of an overloaded shop are not logged as errors, because logging would add load.
        let isOurs = failure.status.kind == .serverError && failure.code != ShopError.overloaded.code
        let level: Logger.Level = isOurs ? .error : .debug
        RequestInfo.makeLogger(of: context.info).log(
            level: level, "\(failure.code)",
            metadata: ["method": "\(request.method)", "path": "\(request.uri.path)", "error": "\(error)"])
    }
}
