import Hummingbird

extension Request {
    /// Decodes the body from `BodyMiddleware`, or throws an error that names the mistake in it.
    func json<Value: Decodable>(_ type: Value.Type, context: ShopContext) async throws -> Value {
        do {
            return try await context.requestDecoder.decode(type, from: self, context: context)
        } catch let error as DecodingError {
            throw ShopError.badRequest(error.explanation)
        }
    }
}

extension DecodingError {
    fileprivate var explanation: String {
        switch self {
        case .keyNotFound(let key, _): "The field '\(key.stringValue)' is missing."
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "The field '\(context.codingPath.map(\.stringValue).joined(separator: "."))' has the wrong type."
        default: "The body is not JSON."
        }
    }
}
