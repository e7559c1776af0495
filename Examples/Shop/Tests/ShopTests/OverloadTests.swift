import HopoateTestingHelpers
import Testing

@testable import Shop

@Suite(.isolatedDependencies) struct OverloadTests {
    @Test func requestsAboveTheLimitAreRefusedAtOnce() async throws {
        let gate = Gate()
        try await withShop(
            script: { _ in
                await gate.pass()
                return .answer
            }, settings: { $0.requestLimit = 2 }
        ) { shop in
            let customers = [try await shop.makeCustomer(), try await shop.makeCustomer()]
            try await withThrowingTaskGroup(of: Int.self) { group in
                for customer in customers { group.addTask { try await shop.checkOut(customer).status } }
                try await eventually { gate.arrived == 2 }
                // Both requests are in progress until the gate opens, so a response before that came at once.
                let refused = try await shop.send("GET", "/products")
                #expect(refused.status == 503)
                #expect(try refused.failure.code == "overloaded")
                #expect(refused.retryAfter == "1")
                let health = try await shop.send("GET", "/health/ready")
                #expect(health.status == 200)
                gate.open()
                for try await status in group { #expect(status == 201) }
            }
            try await eventually { try await shop.send("GET", "/products").status == 200 }
        }
    }

    @Test func acceptedOrdersAreStoredOnceAndRefusedOnesAreNot() async throws {
        try await withShop(settings: { $0.requestLimit = 4 }) { shop in
            var customers: [String] = []
            for _ in 0..<40 { customers.append(try await shop.makeCustomer()) }
            let answers = try await withThrowingTaskGroup(of: (String, Answer).self) { group in
                for customer in customers { group.addTask { (customer, try await shop.checkOut(customer)) } }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            var accepted = 0
            for (customer, answer) in answers {
                let orders = try await shop.orders(customer)
                #expect([201, 503].contains(answer.status))
                if answer.status == 201 {
                    accepted += 1
                    #expect(orders == [try answer.body(Order.View.self)])
                } else {
                    #expect(orders.isEmpty)
                }
            }
            #expect(accepted > 0)
            #expect(shop.provider.charges.count == accepted)
        }
    }
}
