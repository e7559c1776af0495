import Hopoate
import HopoateTestingHelpers
import Testing

@testable import Shop

@Suite(.isolatedDependencies) struct ScopeTests {
    @Test func concurrentRequestsDoNotShareScopedServices() async throws {
        try await withShop { shop in
            var sessions: [String] = []
            for _ in 0..<24 { sessions.append(try await shop.makeSession()) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, session) in sessions.enumerated() {
                    group.addTask {
                        let answer = try await shop.put("TEA-01", number + 1, session, id: "request-\(number)")
                        #expect(answer.requestID == "request-\(number)")
                        #expect(
                            try answer.body(Basket.self).lines == [BasketLine(product: "TEA-01", quantity: number + 1)])
                    }
                }
                try await group.waitForAll()
            }
            let lines = shop.log.lines.filter { $0.message == "basket changed" }
            #expect(lines.count == sessions.count)
            for (number, session) in sessions.enumerated() {
                let line = try #require(lines.first { $0.metadata["session"] == session })
                #expect(line.metadata["request"] == "request-\(number)")
                #expect(line.metadata["quantity"] == "\(number + 1)")
            }
        }
    }

    @Test func requestContainersAreReleased() async throws {
        try await withShop { shop in
            let session = try await shop.makeCustomer()
            let before = shop.scopes.begun
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        switch number % 4 {
                        case 0: _ = try await shop.send("GET", "/products/TEA-01")
                        case 1: _ = try await shop.put("TEA-02", number, session)
                        case 2: _ = try await shop.put("TEA-02", -1, session)
                        default: _ = try await shop.checkOut("nobody")
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(shop.scopes.begun == before + 100)
            try await eventually { shop.scopes.live == 0 }
        }
    }

    @Test func aRequestAboveTheLimitGetsNoContainer() async throws {
        try await withShop(settings: { $0.requestLimit = 0 }) { shop in
            let answer = try await shop.send("GET", "/products")
            #expect(answer.status == 503)
            #expect(shop.scopes.begun == 0)
        }
    }

    @Test func unusedRequestServicesAreNotCreated() async throws {
        try await withShop { shop in
            let request = shop.makeRequest()
            _ = try request.require(ProductController.self)
            let made = request.registrations.filter { $0.exists && $0.lifetime.description == "scoped" }
            #expect(made.isEmpty)
        }
    }

    @Test func servicesOfOneRequestShareItsSession() async throws {
        try await withShop { shop in
            let request = shop.makeRequest()
            let one = try request.require(CurrentSession.self)
            #expect(try request.require(CurrentSession.self) === one)
            let other = shop.makeRequest()
            #expect(try other.require(CurrentSession.self) !== one)
        }
    }
}
