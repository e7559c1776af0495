import HopoateTestingHelpers
import Testing

@testable import Shop

@Suite(.isolatedDependencies) struct RefusalTests {
    private func expect(
        _ status: Int, _ code: String, _ answer: Answer, location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(answer.status == status, sourceLocation: location)
        let failure = try answer.failure
        #expect(failure.code == code, sourceLocation: location)
        #expect(failure.request == answer.requestID, sourceLocation: location)
    }

    @Test func missingResourcesAreAnsweredWith404() async throws {
        try await withShop { shop in
            let session = try await shop.makeSession()
            try expect(404, "not_found", await shop.send("GET", "/nothing"))
            try expect(404, "unknown_product", await shop.send("GET", "/products/COFFEE-01"))
            try expect(404, "unknown_product", await shop.put("COFFEE-01", 1, session))
            try expect(404, "unknown_order", await shop.send("GET", "/orders/none", session: session))
        }
    }

    @Test(arguments: [nil, "", "made up", "' OR 1 = 1 --"]) func ordersNeedASession(session: String?)
        async throws
    {
        try await withShop { shop in
            let put = try await shop.send("PUT", "/basket/TEA-01", session: session, body: #"{"quantity":1}"#)
            try expect(401, "no_session", put)
            try expect(401, "no_session", await shop.send("POST", "/orders", session: session, body: #"{"card":"x"}"#))
            try expect(401, "no_session", await shop.send("GET", "/orders", session: session))
            #expect(shop.provider.requests == 0)
        }
    }

    @Test(arguments: [
        "", "{", "[]", #"{"quantity":"1"}"#, #"{"quantity":null}"#, #"{"quantity":1.5}"#, #"{"number":1}"#,
    ])
    func aBodyThatMakesNoSenseIsRefused(body: String) async throws {
        try await withShop { shop in
            let session = try await shop.makeSession()
            try expect(400, "bad_request", await shop.send("PUT", "/basket/TEA-01", session: session, body: body))
        }
    }

    @Test(arguments: [-1, 1_001, .max, .min]) func aQuantityOutOfRangeIsRefused(quantity: Int) async throws {
        try await withShop { shop in
            let session = try await shop.makeSession()
            try expect(400, "bad_request", await shop.put("TEA-01", quantity, session))
        }
    }

    @Test func aBodyThatIsTooLargeIsRefused() async throws {
        try await withShop { shop in
            let body = #"{"card":""# + String(repeating: "x", count: 20_000) + #""}"#
            let answer = try await shop.send("POST", "/orders", session: try await shop.makeCustomer(), body: body)
            try expect(413, "bad_request", answer)
        }
    }

    @Test func anEmptyBasketIsNotOrdered() async throws {
        try await withShop { shop in
            try expect(409, "empty_basket", await shop.checkOut(try await shop.makeSession()))
            #expect(shop.provider.requests == 0)
        }
    }

    @Test func aDeclinedCardLeavesTheBasketUnchanged() async throws {
        try await withShop { shop in
            let session = try await shop.makeCustomer()
            try expect(402, "payment_declined", await shop.checkOut(session, card: "declined"))
            #expect(shop.provider.charges.isEmpty)
            let answer = try await shop.checkOut(session)
            #expect(answer.status == 201)
            #expect(try await shop.orders(session).map(\.state) == [.declined, .paid])
        }
    }
}
