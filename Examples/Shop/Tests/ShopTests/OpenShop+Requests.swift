import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Testing

@testable import Shop

/// A response of the shop.
struct Answer {
    let status: Int
    let headers: HTTPHeaders
    let content: ByteBuffer

    var retryAfter: String? { headers.first(name: "Retry-After") }
    var requestID: String? { headers.first(name: "X-Request-ID") }

    func body<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(content.readableBytesView))
    }

    /// The error in the response.
    var failure: Failure { get throws { try body([String: Failure].self)["error"]! } }

    struct Failure: Decodable {
        let code: String
        let message: String
        let request: String
        let order: String?
    }
}

extension OpenShop {
    func send(
        _ method: String, _ path: String, session: String? = nil, id: String? = nil, body: String = ""
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
        request.method = HTTPMethod(rawValue: method)
        if let session { request.headers.add(name: "Session", value: session) }
        if let id { request.headers.add(name: "X-Request-ID", value: id) }
        if !body.isEmpty { request.body = .bytes(ByteBuffer(string: body)) }
        let response = try await client.execute(request, timeout: .minutes(2))
        return Answer(
            status: Int(response.status.code), headers: response.headers,
            content: try await response.body.collect(upTo: 1_024 * 1_024))
    }

    func makeSession() async throws -> String {
        try await send("POST", "/sessions").body(SessionController.View.self).id
    }

    /// Starts a session with a product in its basket.
    func makeCustomer(product: String = "TEA-01", quantity: Int = 2) async throws -> String {
        let session = try await makeSession()
        let answer = try await put(product, quantity, session)
        #expect(answer.status == 200)
        return session
    }

    func put(_ product: String, _ quantity: Int, _ session: String, id: String? = nil) async throws -> Answer {
        try await send("PUT", "/basket/\(product)", session: session, id: id, body: #"{"quantity":\#(quantity)}"#)
    }

    func checkOut(_ session: String, card: String = "any") async throws -> Answer {
        try await send("POST", "/orders", session: session, body: #"{"card":"\#(card)"}"#)
    }

    func orders(_ session: String) async throws -> [Order.View] {
        try await send("GET", "/orders", session: session).body()
    }
}

extension HTTPClient.Configuration {
    /// A connection per HTTP request, and no retries.
    static var manyConnections: Self {
        var configuration = Self()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1_000
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }
}
