/// Places orders for the user of an HTTP request.
package struct OrderService: Sendable {
    private let session: Session
    private let catalogue: CatalogueService
    private let orders: OrderRepository
    private let customers: CustomerRepository
    private let payments: any Payments
    private let mailer: any Mailer

    @Sendable package init(
        session: Session, catalogue: CatalogueService, orders: OrderRepository, customers: CustomerRepository,
        payments: any Payments, mailer: any Mailer
    ) {
        self.session = session
        self.catalogue = catalogue
        self.orders = orders
        self.customers = customers
        self.payments = payments
        self.mailer = mailer
    }

    package func place(_ product: String) async throws -> Order {
        let price = try await catalogue.price(of: product) - customers.discount(of: session.user)
        let order = Order(user: session.user, product: product, price: price)
        try await orders.insert(order)
        try await payments.charge(price, to: session.user)
        try await mailer.send("You ordered \(product).", to: session.user)
        return order
    }

    package func placed() async throws -> [Order] { try await orders.orders(of: session.user) }
}
