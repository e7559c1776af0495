import HopoateTestingHelpers
import Testing

@testable import Shop

@Suite(.isolatedDependencies) struct OrderingTests {
    @Test func aCustomerOrdersABasket() async throws {
        try await withShop { shop in
            let products: [Product] = try await shop.send("GET", "/products").body()
            #expect(products.count == 12)
            let tea: Product = try await shop.send("GET", "/products/TEA-02").body()
            #expect(tea == Product(id: "TEA-02", name: "Darjeeling", price: 615))

            let session = try await shop.makeCustomer(product: "TEA-02", quantity: 12)
            let basket: Basket = try await shop.put("CUP-01", 1, session).body()
            #expect(basket.total == 6_642 + 650)

            let answer = try await shop.checkOut(session)
            #expect(answer.status == 201)
            let order: Order.View = try answer.body()
            #expect(order.state == .paid)
            #expect(order.total == 7_292)
            #expect(shop.provider.charges[order.id]?.amount == 7_292)
            let stored: Order.View = try await shop.send("GET", "/orders/\(order.id)", session: session).body()
            #expect(stored == order)
            #expect(try await shop.orders(session) == [order])
        }
    }

    @Test func theServiceIsHealthy() async throws {
        try await withShop { shop in
            for path in ["/health/ready", "/health/live"] {
                let answer = try await shop.send("GET", path)
                #expect(answer.status == 200)
            }
        }
    }

    @Test func quantityZeroRemovesTheProductFromTheBasket() async throws {
        try await withShop { shop in
            let session = try await shop.makeCustomer()
            let basket: Basket = try await shop.put("TEA-01", 0, session).body()
            #expect(basket == Basket(lines: [], total: 0))
        }
    }

    @Test func anOrderIsShownToItsOwnSessionOnly() async throws {
        try await withShop { shop in
            let session = try await shop.makeCustomer()
            let order: Order.View = try await shop.checkOut(session).body()
            let other = try await shop.makeSession()
            let answer = try await shop.send("GET", "/orders/\(order.id)", session: other)
            #expect(answer.status == 404)
        }
    }

    @Test func concurrentCheckoutsOrderTheBasketOnce() async throws {
        try await withShop { shop in
            let session = try await shop.makeCustomer()
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 { group.addTask { try await shop.checkOut(session).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.contains(201))
            #expect(statuses.allSatisfy { [201, 409].contains($0) })
            #expect(try await shop.orders(session).count == 1)
            #expect(shop.provider.charges.count == 1)
        }
    }
}
