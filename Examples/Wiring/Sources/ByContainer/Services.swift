package import Components
package import Hopoate

extension DependencyContainer {
    /// Registers the components, all by their initializers.
    package func registerComponents(events: Events) {
        register(events, for: Events.self)
        register(Database.self, using: Database.open, onAsyncDispose: { try await $0.close() })
        register((any Cache).self, using: RemoteCache.open, onAsyncDispose: { try await $0.close() })
        register((any Payments).self, using: CardPayments.open, onAsyncDispose: { try await $0.close() })
        register((any Mailer).self, using: MailServer.open, onAsyncDispose: { try await $0.close() })
        register(ProductRepository.self, using: ProductRepository.init)
        register(CatalogueService.self, using: CatalogueService.init)
        register(CatalogueController.self, using: CatalogueController.init)
        register(
            Transaction.self, lifetime: .scoped, using: { (database: Database) in try await database.begin() },
            onAsyncDispose: { try await $0.end() })
        register(OrderRepository.self, lifetime: .scoped, using: OrderRepository.init)
        register(CustomerRepository.self, lifetime: .scoped, using: CustomerRepository.init)
        register(OrderService.self, lifetime: .scoped, using: OrderService.init)
        register(OrderController.self, lifetime: .scoped, using: OrderController.init)
    }
}
