import GRDB
import Hopoate
import HopoateServiceLifecycle
import HopoateTestingHelpers
import Testing

@testable import Shop

@Suite(.isolatedDependencies) struct ShutdownTests {
    @Test func requestsInFlightFinishBeforeServicesAreDisposedOfInOrder() async throws {
        let gate = Gate()
        try await withShop(script: { _ in
            await gate.pass()
            return .answer
        }) { shop in
            let session = try await shop.makeCustomer()
            async let answer = shop.checkOut(session)
            try await eventually { gate.arrived == 1 }
            await shop.group.triggerGracefulShutdown()
            // It accepts no new connections. The open connection stays until it has its response.
            try await eventually { await !RawConnection.isListening(port: shop.port) }
            await #expect(throws: (any Error).self) { try await RawConnection.open(port: shop.port) }
            #expect(!shop.log.messages.contains { $0.hasPrefix("closed") })
            gate.open()
            let status = try await answer.status
            #expect(status == 201)
            try await shop.waitForEnd()
            let ends = shop.log.messages.filter { $0 == "order paid" || $0.hasPrefix("closed") }
            #expect(ends.first == "order paid" && Set(ends.dropFirst()) == Self.ends)
            #expect(!shop.container.canResolve(Storage.self))
        }
    }

    /// Neither uses the other, so they close in parallel.
    private static let ends: Set = ["closed the payment client", "closed the storage"]

    @Test func anIncompleteBodyDoesNotBlockShutdown() async throws {
        try await withShop(settings: { $0.shutdownTimeout = 0.5 }) { shop in
            let session = try await shop.makeCustomer()
            let connection = try await shop.openHalfAnOrder(session: session)
            defer { connection.close() }
            await shop.group.triggerGracefulShutdown()
            try await shop.waitForEnd()
            try await eventually { connection.isClosed }
            #expect(Set(shop.log.messages.filter { $0.hasPrefix("closed") }) == Self.ends)
            #expect(shop.log.messages.contains("stopped with requests in flight"))
            #expect(shop.provider.requests == 0)
        }
    }

    @Test func anUnansweredPaymentDoesNotBlockShutdown() async throws {
        let database = TemporaryFile()
        try await withShop(
            script: { _ in .silence },
            settings: {
                $0.storage.file = database.path
                $0.payment.timeout = 3_600
                $0.shutdownTimeout = 0.5
            }
        ) { shop in
            let session = try await shop.makeCustomer()
            let answer = Task { try await shop.checkOut(session) }
            try await eventually { shop.provider.requests == 1 }
            await shop.group.triggerGracefulShutdown()
            await #expect(throws: (any Error).self) { _ = try await answer.value }
            try await shop.waitForEnd()
            #expect(Set(shop.log.messages.filter { $0.hasPrefix("closed") }) == Self.ends)
            #expect(shop.provider.requests == 1)
            // The order is in the database as pending: the next start settles it.
            let states = try await DatabaseQueue(path: database.path).read { database in
                try String.fetchAll(database, sql: "SELECT state FROM purchase")
            }
            #expect(states == ["pending"])
        }
    }

    @Test func pendingOrdersOfAnEarlierRunDoNotBlockShutdown() async throws {
        let database = TemporaryFile()
        let provider = try await FakeProvider.start { _ in .silence }
        let container = DependencyContainer.shared
        let log = LogBook()
        var settings = Settings()
        settings.storage.file = database.path
        settings.payment.address = .init(host: "127.0.0.1", port: provider.port)
        settings.payment.timeout = 3_600
        settings.shutdownTimeout = 3_600
        container.values.settings = settings
        container.values.logger = log.logger
        try await ShopService.prepare(in: container)
        let pricing = try container.require(Pricing.self)
        for _ in 0..<3 {
            let session = try await container.require(SessionStore.self).create()
            _ = try await container.require(BasketStore.self).put(.init(product: "TEA-01", quantity: 1), of: session)
            _ = try await container.require(OrderStore.self).reserve(for: session, card: "any", pricing: pricing)
        }
        let group = ShopService.group(of: container)
        let end = Mark()
        let running = Task {
            defer { end.set() }
            try await group.run()
        }
        try await eventually { provider.requests == 1 }
        await group.triggerGracefulShutdown()
        try await eventually { end.isSet }
        try await running.value
        #expect(provider.requests == 1)
        #expect(Set(log.messages.filter { $0.hasPrefix("closed") }) == Self.ends)
        await provider.stop()
    }
}
