import Hummingbird

extension ShopError {
    private struct Body: Encodable {
        struct Content: Encodable {
            let code: String
            let message: String
            let request: String
            let order: String?
        }

        let error: Content
    }

    /// Returns the response for the error.
    func response(to request: RequestInfo) -> Response {
        let content = Body.Content(code: code, message: message, request: request.id, order: order)
        var response: Response
        do {
            response = try JSONLineEncoder().response(to: Body(error: content), status: status)
        } catch {
            response = Response(status: status)
        }
        if status == .requestTimeout { response.headers[.connection] = "close" }
        if let retryAfter { response.headers[.retryAfter] = "\(retryAfter)" }
        return response
    }
}
