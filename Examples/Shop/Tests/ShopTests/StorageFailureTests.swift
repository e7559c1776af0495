import GRDB
import Hopoate
import HopoateTestingHelpers
import Testing

@testable import Shop

@Suite(.isolatedDependencies) struct StorageFailureTests {
    /// Another program that uses the same database file.
    private func neighbour(of shop: OpenShop) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        return try DatabaseQueue(
            path: try #require(shop.container.values.settings.storage.file), configuration: configuration)
    }

    @Test func aLockedDatabaseRefusesWritesAndServesReads() async throws {
        try await withShop(settings: { $0.storage.timeout = 0 }) { shop in
            let session = try await shop.makeCustomer()
            let neighbour = try neighbour(of: shop)
            try await neighbour.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
            let answer = try await shop.checkOut(session)
            #expect(answer.status == 503)
            #expect(answer.retryAfter == "1")
            #expect(try answer.failure.code == "storage_unavailable")
            #expect(shop.provider.requests == 0)
            #expect(try await shop.orders(session).isEmpty)
            try await neighbour.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
            let later = try await shop.checkOut(session)
            #expect(later.status == 201)
        }
    }

    @Test func anOrderThatCannotBeStoredIsNotCharged() async throws {
        try await withShop { shop in
            let session = try await shop.makeCustomer()
            let neighbour = try neighbour(of: shop)
            try await neighbour.write { try $0.execute(sql: Self.trigger("INSERT ON purchaseLine")) }
            let answer = try await shop.checkOut(session)
            #expect(answer.status == 500)
            #expect(try answer.failure.code == "storage_failed")
            #expect(shop.provider.requests == 0)
            #expect(try await shop.orders(session).isEmpty)
            try await neighbour.write { try $0.execute(sql: "DROP TRIGGER broken") }
            let later = try await shop.checkOut(session)
            #expect(later.status == 201)
        }
    }

    @Test func anUnstoredConfirmationNeitherLosesTheOrderNorChargesTwice() async throws {
        try await withShop { shop in
            let session = try await shop.makeCustomer()
            let neighbour = try neighbour(of: shop)
            try await neighbour.write { try $0.execute(sql: Self.trigger("UPDATE ON purchase")) }
            let answer = try await shop.checkOut(session)
            #expect(answer.status == 500)
            #expect(shop.provider.charges.count == 1)
            #expect(try await shop.orders(session).map(\.state) == [.pending])
            try await neighbour.write { try $0.execute(sql: "DROP TRIGGER broken") }
            let later = try await shop.checkOut(session)
            #expect(later.status == 201)
            #expect(try await shop.orders(session).map(\.state) == [.paid])
            #expect(shop.provider.charges.count == 1)
        }
    }

    @Test func aClosedDatabaseIsReportedAsUnavailable() async throws {
        try await withShop { shop in
            let session = try await shop.makeCustomer()
            try shop.container.require(Storage.self).writer.close()
            let order = try await shop.checkOut(session)
            #expect(order.status == 503)
            #expect(try order.failure.code == "storage_unavailable")
            let readiness = try await shop.send("GET", "/health/ready")
            #expect(readiness.status == 503)
            let liveness = try await shop.send("GET", "/health/live")
            #expect(liveness.status == 200)
            // Requests that need no database still work.
            let products = try await shop.send("GET", "/products")
            #expect(products.status == 200)
            #expect(shop.provider.requests == 0)
        }
    }

    private static func trigger(_ event: String) -> String {
        "CREATE TRIGGER broken BEFORE \(event) BEGIN SELECT RAISE(ABORT, 'broken'); END"
    }
}
