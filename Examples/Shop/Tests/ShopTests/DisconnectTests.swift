import HopoateTestingHelpers
import Testing

@testable import Shop

@Suite(.isolatedDependencies) struct DisconnectTests {
    @Test func aDisconnectDuringThePaymentLeavesOneOrder() async throws {
        let gate = Gate()
        try await withShop(script: { _ in
            await gate.pass()
            return .answer
        }) { shop in
            let session = try await shop.makeCustomer()
            let connection = try await RawConnection.open(port: shop.port)
            try await connection.send(
                "POST /orders HTTP/1.1\r\nHost: shop\r\nSession: \(session)\r\nContent-Length: 14\r\n\r\n"
                    + #"{"card":"any"}"#)
            try await eventually { gate.arrived == 1 }
            connection.close()
            gate.open()
            try await eventually { try await shop.orders(session).map(\.state) == [.paid] }
            #expect(shop.provider.charges.count == 1)
            try await eventually { shop.scopes.live == 0 }
        }
    }

    @Test func aDisconnectDuringTheBodyOrdersNothing() async throws {
        try await withShop { shop in
            let session = try await shop.makeCustomer()
            let before = shop.scopes.begun
            let connection = try await shop.openHalfAnOrder(session: session)
            connection.close()
            try await eventually { shop.log.messages.contains("bad_request") }
            #expect(shop.scopes.begun == before)
            #expect(try await shop.orders(session).isEmpty)
            #expect(shop.provider.requests == 0)
        }
    }

    @Test(arguments: ["nonsense\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "POST /orders HTTP/1.1\r\n", ""])
    func aClientThatSendsNoHTTPDoesNotDisturbOthers(text: String) async throws {
        try await withShop { shop in
            let connection = try await RawConnection.open(port: shop.port)
            try? await connection.send(text)
            connection.close()
            let answer = try await shop.send("GET", "/products")
            #expect(answer.status == 200)
        }
    }
}
