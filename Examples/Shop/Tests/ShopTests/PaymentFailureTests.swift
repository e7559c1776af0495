import Hopoate
import HopoateTestingHelpers
import Synchronization
import Testing

@testable import Shop

@Suite(.isolatedDependencies) struct PaymentFailureTests {
    /// Misbehaves a number of times, and then behaves well.
    private func misbehave(_ times: Int, _ behaviour: FakeProvider.Behaviour) -> FakeProvider.Script {
        let left = Countdown(times)
        return { _ in left.next() ? behaviour : .answer }
    }

    @Test(arguments: [
        FakeProvider.Behaviour.fail(status: 500), .fail(status: 201), .drop, .chargeAndDrop, .chargeAndCut, .silence,
        .stall,
    ])
    func anOrderWithAnUnknownPaymentStaysPendingAndIsPaidOnce(behaviour: FakeProvider.Behaviour) async throws {
        // A lost connection is retried once automatically.
        let times =
            switch behaviour {
            case .drop, .chargeAndDrop, .chargeAndCut: 2
            default: 1
            }
        // Only a provider that never finishes its answer runs into the timeout. On a slow machine a later answer may be late,
        // too, and is requested again.
        let isSilent =
            switch behaviour {
            case .silence, .stall: true
            default: false
            }
        try await withShop(
            script: misbehave(times, behaviour), settings: { if isSilent { $0.payment.timeout = 1 } }
        ) { shop in
            let session = try await shop.makeCustomer()
            let answer = try await shop.checkOut(session)
            #expect(answer.status == 503)
            #expect(answer.retryAfter == "1")
            let failure = try answer.failure
            #expect(failure.code == "payment_pending")
            #expect(try await shop.orders(session).map(\.state) == [.pending])

            // Products that are added meanwhile are not part of that order.
            _ = try await shop.put("CUP-01", 1, session)
            try await eventually { try await shop.checkOut(session).status == 201 }
            let orders = try await shop.orders(session)
            #expect(orders.map(\.id) == [failure.order])
            #expect(orders.map(\.state) == [.paid])
            #expect(orders.first?.lines.map(\.product) == ["TEA-01"])
            #expect(shop.provider.charges.count == 1)
            let basket: Basket = try await shop.put("CUP-02", 0, session).body()
            #expect(basket.lines.map(\.product) == ["CUP-01"])
        }
    }

    @Test(arguments: [FakeProvider.Behaviour.drop, .chargeAndDrop, .chargeAndCut])
    func oneLostConnectionIsRetried(behaviour: FakeProvider.Behaviour) async throws {
        try await withShop(script: misbehave(1, behaviour)) { shop in
            let answer = try await shop.checkOut(try await shop.makeCustomer())
            #expect(answer.status == 201)
            #expect(shop.provider.requests == 2)
            #expect(shop.provider.charges.count == 1)
        }
    }

    @Test func pendingOrdersAreSettledAtTheNextStart() async throws {
        let database = TemporaryFile()
        var session = ""
        try await DependencyContainer.$shared.withValue(DependencyContainer()) {
            try await withShop(script: misbehave(.max, .chargeAndDrop), settings: { $0.storage.file = database.path }) {
                shop in
                session = try await shop.makeCustomer()
                let answer = try await shop.checkOut(session)
                #expect(answer.status == 503)
            }
        }
        try await withShop(settings: { $0.storage.file = database.path }) { shop in
            let orders = try await shop.orders(session)
            #expect(orders.map(\.state) == [.paid])
            #expect(shop.provider.charges.count == 1)
        }
    }

    @Test func anUnreachableProviderDoesNotBlockOtherRequests() async throws {
        let gone = try await FakeProvider.start { _ in .answer }
        await gone.stop()
        try await withShop(settings: { $0.payment.address?.port = gone.port }) { shop in
            let answer = try await shop.checkOut(try await shop.makeCustomer())
            #expect(answer.status == 503)
            let products = try await shop.send("GET", "/products")
            #expect(products.status == 200)
        }
    }
}

/// Returns true a number of times.
private final class Countdown: Sendable {
    private let left: Mutex<Int>

    init(_ times: Int) {
        left = Mutex(times)
    }

    func next() -> Bool {
        left.withLock { left in
            left -= 1
            return left >= 0
        }
    }
}
