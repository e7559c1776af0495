import HopoateTestingHelpers
import Testing

@testable import Shop

@Suite(.isolatedDependencies) struct ArrivalTests {
    @Test func incompleteBodiesDoNotCountTowardsTheRequestLimit() async throws {
        try await withShop(settings: { $0.requestLimit = 2 }) { shop in
            let session = try await shop.makeCustomer()
            let before = shop.scopes.begun
            var connections: [RawConnection] = []
            defer { for connection in connections { connection.close() } }
            for _ in 0..<8 { connections.append(try await shop.openHalfAnOrder(session: session)) }
            for _ in 0..<4 {
                let answer = try await shop.send("GET", "/products")
                #expect(answer.status == 200)
            }
            #expect(shop.scopes.begun == before + 4)
            // The second half of the body completes the request.
            let connection = try #require(connections.first)
            try await connection.send(String(repeating: " ", count: 86))
            try await eventually { connection.received.contains("HTTP/1.1 201 Created") }
            #expect(try await shop.orders(session).map(\.state) == [.paid])
        }
    }

    @Test func aLateBodyIsAnsweredWith408() async throws {
        try await withShop(settings: { $0.requestTimeout = 2 }) { shop in
            let session = try await shop.makeStoredCustomer()
            let connection = try await shop.connect(sending: halfAnOrder(session: session, id: "late"))
            defer { connection.close() }
            try await eventually { connection.isClosed }
            #expect(connection.received.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
            #expect(connection.received.contains(#""code":"request_timeout""#))
            #expect(connection.received.contains(#""request":"late""#))
            #expect(connection.received.lowercased().contains("connection: close"))
            #expect(shop.scopes.begun == 0)
            #expect(shop.provider.requests == 0)
            #expect(try await shop.storedOrders(session).isEmpty)
        }
    }

    @Test func aSlowlyDrippingBodyIsCutOff() async throws {
        try await withShop(settings: { $0.requestTimeout = 2 }) { shop in
            let session = try await shop.makeStoredCustomer()
            let connection = try await RawConnection.open(port: shop.port)
            defer { connection.close() }
            let head = "POST /orders HTTP/1.1\r\nHost: shop\r\nSession: \(session)\r\nContent-Length: 16000\r\n\r\n"
            try await connection.send(head)
            try await eventually {
                // Sending on a closed connection is an error.
                try? await connection.send(" ")
                return connection.isClosed
            }
            #expect(shop.scopes.begun == 0)
            #expect(try await shop.storedOrders(session).isEmpty)
        }
    }

    @Test(arguments: ["", "POST /orders HTTP/1.1\r\nHost:"])
    func aConnectionWithoutARequestHeadIsClosed(text: String) async throws {
        try await withShop(settings: { $0.requestTimeout = 2 }) { shop in
            let connection = try await RawConnection.open(port: shop.port)
            defer { connection.close() }
            try await connection.send(text)
            try await eventually { connection.isClosed }
            #expect(connection.received.isEmpty)
        }
    }

    @Test func anIdleConnectionIsClosedAfterItsResponse() async throws {
        try await withShop(settings: { $0.requestTimeout = 2 }) { shop in
            let connection = try await shop.connect(sending: "GET /health/live HTTP/1.1\r\nHost: shop\r\n\r\n")
            defer { connection.close() }
            try await eventually { connection.isClosed }
            #expect(connection.received.hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
    }

    @Test func aBodyThatWasAnsweredEarlyIsCutOff() async throws {
        try await withShop(settings: { $0.requestTimeout = 2 }) { shop in
            let head = "POST /orders HTTP/1.1\r\nHost: shop\r\nContent-Length: 90000\r\n\r\n"
            let connection = try await shop.connect(sending: head + String(repeating: " ", count: 20_000))
            defer { connection.close() }
            try await eventually { connection.isClosed }
            #expect(connection.received.hasPrefix("HTTP/1.1 413 "))
            #expect(!connection.received.contains("HTTP/1.1 408"))
        }
    }

    @Test func theLimitEndsWhenTheRequestHasArrived() async throws {
        let gate = Gate()
        try await withShop(
            script: { _ in
                await gate.pass()
                return .answer
            }, settings: { $0.requestTimeout = 1 }
        ) { shop in
            let session = try await shop.makeStoredCustomer()
            let order = halfAnOrder(session: session) + String(repeating: " ", count: 86)
            let connection = try await shop.connect(sending: order) { _ in gate.arrived == 1 }
            defer { connection.close() }
            try await Task.sleep(for: .seconds(3))
            gate.open()
            try await eventually { connection.received.hasPrefix("HTTP/1.1 201 Created\r\n") || connection.isClosed }
            #expect(connection.received.hasPrefix("HTTP/1.1 201 Created\r\n"))
        }
    }

    @Test func aHalfClosedConnectionWithAnIncompleteBodyOrdersNothing() async throws {
        try await withShop { shop in
            let session = try await shop.makeCustomer()
            let connection = try await shop.openHalfAnOrder(session: session)
            defer { connection.close() }
            try await connection.closeOutput()
            try await eventually { shop.log.messages.contains("bad_request") }
            #expect(try await shop.orders(session).isEmpty)
            #expect(shop.provider.requests == 0)
        }
    }
}
