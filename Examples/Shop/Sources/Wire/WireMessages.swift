/// What a client asks.
public struct WireRequest: Sendable {
    /// The method, in capitals.
    public var method: String
    /// Path and query.
    public var path: String
    /// Beside `Host` and `Content-Length`, which are added.
    public var headers: [(name: String, value: String)]
    /// Empty where there is none.
    public var body: [UInt8]

    /// Makes a request.
    public init(_ method: String, _ path: String, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
    }
}

/// What a server answers.
public struct WireResponse: Sendable {
    /// The status.
    public var status: Int
    /// Beside `Content-Length`, which is added.
    public var headers: [(name: String, value: String)]
    /// Empty where there is none.
    public var body: [UInt8]

    /// Makes a response.
    public init(_ status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The first header of a name, in whatever case.
    public subscript(header name: String) -> String? { headers.value(of: name) }
}

extension WireRequest {
    /// The first header of a name, in whatever case.
    public subscript(header name: String) -> String? { headers.value(of: name) }
}

extension [(name: String, value: String)] {
    fileprivate func value(of name: String) -> String? {
        first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// Why there is no answer.
public enum WireError: Error, Sendable, CustomStringConvertible {
    /// Nothing was sent.
    case noConnection(String)
    /// What the other side did with the request is not known.
    case timedOut
    /// What the other side did with the request is not known.
    case connectionLost
    /// The task that waited was cancelled; what the other side did with the request is not known.
    case cancelled
    /// The client was shut down; nothing was sent.
    case shutDown

    /// In one clause.
    public var description: String {
        switch self {
        case .noConnection(let reason): "no connection: \(reason)"
        case .timedOut: "no answer in time"
        case .connectionLost: "the connection was lost before the answer was complete"
        case .cancelled: "cancelled before the answer was complete"
        case .shutDown: "the client is shut down"
        }
    }
}
