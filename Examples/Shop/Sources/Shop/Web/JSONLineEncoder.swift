import Foundation
public import Hummingbird

/// Encodes responses as JSON that ends with a newline, so that the prompt of a shell starts on a line of its own.
public struct JSONLineEncoder: ResponseEncoder {
    /// Returns a response with a value as its body, and the status 200.
    public func encode(_ value: some Encodable, from request: Request, context: some RequestContext) throws -> Response
    {
        try response(to: value, status: .ok)
    }

    /// Returns a response with a value as its body.
    func response(to value: some Encodable, status: HTTPResponse.Status) throws -> Response {
        var line = try JSONEncoder().encode(value)
        line.append(UInt8(ascii: "\n"))
        let body = ByteBuffer(bytes: line)
        let headers: HTTPFields = [
            .contentType: "application/json; charset=utf-8", .contentLength: "\(body.readableBytes)",
        ]
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: body))
    }
}
