import Foundation
import Testing
import Wire

@testable import Shop

/// An answer of the shop.
struct Answer {
    let status: Int
    let response: WireResponse

    var retryAfter: String? { response[header: "Retry-After"] }
    var requestID: String? { response[header: "X-Request-ID"] }

    func body<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(response.body))
    }

    /// What went wrong, as the shop says it.
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
        var headers: [(name: String, value: String)] = []
        if let session { headers.append(("Session", session)) }
        if let id { headers.append(("X-Request-ID", id)) }
        let response = try await client.send(WireRequest(method, path, headers: headers, body: Array(body.utf8)))
        return Answer(status: response.status, response: response)
    }

    func makeSession() async throws -> String {
        try await send("POST", "/sessions").body(SessionController.View.self).id
    }

    /// A session with something in its basket.
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
