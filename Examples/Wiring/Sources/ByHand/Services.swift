import Components

/// The components that all HTTP requests share.
struct Services: Sendable {
    let database: Database
    let cache: any Cache
    let payments: any Payments
    let mailer: Once<any Mailer>
    let catalogue: CatalogueService
    let events: Events

    /// Opens the components that the service needs to start, independent ones in parallel.
    ///
    /// Each open component is known to `closers`, even if this throws.
    static func open(events: Events, closers: Closers) async throws -> Services {
        let database = try await closers.open { try await Database.open(events: events) }
        async let openCache = closers.open { try await RemoteCache.open(database: database, events: events) }
        async let openPayments = closers.open { try await CardPayments.open(events: events) }
        let (cache, payments) = try await (openCache, openPayments)
        return Services(
            database: database,
            cache: cache,
            payments: payments,
            mailer: Once { try await closers.open { try await MailServer.open(events: events) } },
            catalogue: CatalogueService(products: ProductRepository(database: database), cache: cache),
            events: events)
    }

    var catalogueController: CatalogueController { CatalogueController(catalogue: catalogue) }

    /// Creates the controller of an HTTP request, with its services.
    func makeOrderController(session: Session, transaction: Transaction) async throws -> OrderController {
        let orders = OrderService(
            session: session,
            catalogue: catalogue,
            orders: OrderRepository(transaction: transaction),
            customers: CustomerRepository(transaction: transaction),
            payments: payments,
            mailer: try await mailer.get())
        return OrderController(orders: orders, events: events)
    }
}
