import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// A client with one session. It sends one HTTP request at a time, so it uses one connection.
struct Customer: Sendable {
    private static let products = ["BOOK-01", "CUP-01", "HONEY-01", "POT-01", "TEA-01", "TEA-02", "TEA-03", "TIN-01"]

    private let client: HTTPClient
    private let address: String
    private let session: String

    /// Starts a session at the server on a port.
    init(port: Int, client: HTTPClient) async throws {
        self.client = client
        address = "http://127.0.0.1:\(port)"
        var request = HTTPClientRequest(url: "\(address)/sessions")
        request.method = .POST
        let response = try await client.execute(request, timeout: .seconds(30))
        let content = try await response.body.collect(upTo: 1_024)
        guard response.status == .created,
            let body = try JSONSerialization.jsonObject(with: Data(content.readableBytesView)) as? [String: String],
            let id = body["id"]
        else { throw LoadError("no session: status \(response.status.code)") }
        session = id
    }

    /// Sends HTTP requests until a point in time or up to a count. It stops after the first request without a response.
    func ask(until end: ContinuousClock.Instant, atMost most: Int, _ workload: Workload) async -> Tally {
        var tally = Tally()
        for number in 0..<most {
            let begun = ContinuousClock.now
            if begun >= end { break }
            do {
                let isFine = try await send(number, workload)
                tally.add(ContinuousClock.now - begun, isFine: isFine)
            } catch {
                tally.add(ContinuousClock.now - begun, isFine: false)
                break
            }
        }
        return tally
    }

    private func send(_ number: Int, _ workload: Workload) async throws -> Bool {
        // Spreads the kinds of requests evenly over a hundred, in the same order each time.
        let dice = number &* 37 % 100
        let product = Self.products[number % Self.products.count]
        if dice < workload.orders {
            guard try await put(product) else { return false }
            return try await status(.POST, "/orders", #"{"card":"any"}"#) == .created
        }
        if dice < workload.orders + workload.writes { return try await put(product) }
        return try await status(.GET, "/products/\(product)") == .ok
    }

    private func put(_ product: String) async throws -> Bool {
        try await status(.PUT, "/basket/\(product)", #"{"quantity":3}"#) == .ok
    }

    private func status(_ method: HTTPMethod, _ path: String, _ body: String? = nil) async throws -> HTTPResponseStatus
    {
        var request = HTTPClientRequest(url: address + path)
        request.method = method
        request.headers.add(name: "Session", value: session)
        if let body { request.body = .bytes(ByteBuffer(string: body)) }
        let response = try await client.execute(request, timeout: .seconds(30))
        _ = try await response.body.collect(upTo: 64 * 1_024)
        return response.status
    }
}
