import HTTPTypes
package import Hummingbird
public import Logging

/// The identifier, the session and the logger that an HTTP request comes with.
public struct RequestInfo: Sendable {
    /// The identifier in logs and responses.
    package let id: String
    /// The session that the client sent.
    package let session: String?
    /// The logger from which the logger of the request derives.
    package let base: Logger

    package init(id: String, session: String?, base: Logger) {
        self.id = id
        self.session = session
        self.base = base
    }

    /// Uses the identifier of the client if it is valid, so that logs on both sides can be matched.
    package init(_ request: Request, base: Logger, id: String) {
        let given = request.headers[.requestID].flatMap { $0.utf8.count <= 64 && $0.allSatisfy(\.isPlain) ? $0 : nil }
        self.init(id: given ?? id, session: request.headers[.session], base: base)
    }

    /// The logger of the request.
    @Sendable public static func makeLogger(of request: RequestInfo) -> Logger {
        var logger = request.base
        logger[metadataKey: "request"] = "\(request.id)"
        if let session = request.session { logger[metadataKey: "session"] = "\(session)" }
        return logger
    }
}

extension Character {
    fileprivate var isPlain: Bool { isASCII && (isLetter || isNumber || self == "-" || self == "_") }
}

extension HTTPField.Name {
    /// The header with the identifier of a request.
    package static let requestID = HTTPField.Name("X-Request-ID")!
    /// The header with the session of a request.
    package static let session = HTTPField.Name("Session")!
}
