import Foundation
import Wire

/// One connection, and what it asks.
struct Customer: Sendable {
    private static let products = ["BOOK-01", "CUP-01", "HONEY-01", "POT-01", "TEA-01", "TEA-02", "TEA-03", "TIN-01"]

    private let connection: WireConnection
    private let session: String

    init(port: Int) async throws {
        connection = try await WireConnection.open(host: "127.0.0.1", port: port)
        let answer = try await connection.send(WireRequest("POST", "/sessions"))
        guard answer.status == 201,
            let body = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: String],
            let id = body["id"]
        else { throw LoadError("no session: status \(answer.status)") }
        session = id
    }

    func leave() { connection.close() }

    /// Asks until a time, or so many times.
    func ask(until end: ContinuousClock.Instant, atMost most: Int, _ workload: Workload) async -> Tally {
        var tally = Tally()
        var number = 0
        while number < most {
            let begun = ContinuousClock.now
            if begun >= end { break }
            let isFine = await send(number, workload)
            tally.add(ContinuousClock.now - begun, isFine: isFine)
            if !isFine, !connection.isOpen { break }
            number += 1
        }
        return tally
    }

    private func send(_ number: Int, _ workload: Workload) async -> Bool {
        // Spread evenly over a hundred, in an order that is the same each time.
        let dice = number &* 37 % 100
        let product = Self.products[number % Self.products.count]
        if dice < workload.orders {
            guard await put(product) else { return false }
            return await status("POST", "/orders", #"{"card":"any"}"#) == 201
        }
        if dice < workload.orders + workload.writes { return await put(product) }
        return await status("GET", "/products/\(product)", "") == 200
    }

    private func put(_ product: String) async -> Bool {
        await status("PUT", "/basket/\(product)", #"{"quantity":3}"#) == 200
    }

    private func status(_ method: String, _ path: String, _ body: String) async -> Int {
        let request = WireRequest(method, path, headers: [("Session", session)], body: Array(body.utf8))
        return (try? await connection.send(request))?.status ?? 0
    }
}
