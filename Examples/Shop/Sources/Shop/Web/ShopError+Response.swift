import Foundation
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
        let data = (try? JSONEncoder().encode(Body(error: content))) ?? Data()
        var headers: HTTPFields = [.contentType: "application/json; charset=utf-8"]
        headers[.contentLength] = "\(data.count)"
        if status == .requestTimeout { headers[.connection] = "close" }
        if let retryAfter { headers[.retryAfter] = "\(retryAfter)" }
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
    }
}
