import Components
import Stubs
import Testing

@Suite struct OrderServiceTests {
    private let mailer = StubMailer()

    @Test func anOrderIsChargedAndMailed() async throws {
        let payments = StubPayments()
        _ = try await makeOrders(payments).place("tea")
        #expect(payments.charges == [3])
        #expect(mailer.mails == ["You ordered tea."])
    }

    @Test func aDeclinedOrderIsNotMailed() async throws {
        let orders = try await makeOrders(StubPayments(declines: true))
        await #expect(throws: Declined.self) { try await orders.place("tea") }
        #expect(mailer.mails.isEmpty)
    }

    @Test func anUnknownProductIsNotCharged() async throws {
        let payments = StubPayments()
        let orders = try await makeOrders(payments)
        await #expect(throws: UnknownProduct(product: "gold")) { try await orders.place("gold") }
        #expect(payments.charges.isEmpty)
    }

    @Test func theThirdOrderHasADiscount() async throws {
        let payments = StubPayments()
        let orders = try await makeOrders(payments)
        for _ in 1...3 { _ = try await orders.place("tea") }
        #expect(payments.charges == [3, 3, 2])
    }

    private func makeOrders(_ payments: StubPayments) async throws -> OrderService {
        let database = try await Database.open(events: Events())
        let transaction = try await database.begin()
        return OrderService(
            session: Session(user: "Ada"),
            catalogue: CatalogueService(products: ProductRepository(database: database), cache: StubCache()),
            orders: OrderRepository(transaction: transaction),
            customers: CustomerRepository(transaction: transaction),
            payments: payments,
            mailer: mailer)
    }
}
