package import Hopoate

/// The services of the shop. Only this file names both the protocols and their implementations.
package enum Services {
    /// Registers the services with the lifetime of the program.
    package static func register(in container: DependencyContainer) {
        // An initializer, and its parameter: the catalogue.
        container.register(Catalogue.articles, for: [Article].self)
        container.register((any PriceList).self, using: FixedPriceList.init)
        container.register(NationalTaxRules(), for: (any TaxRules).self)
        container.register(DailyRates(), for: (any CurrencyTable).self)
        // Created once, on first use.
        container.register((any PaymentService).self) { _ in CardGateway() }
        container.register(MonotonicTime(), for: (any TimeSource).self)
        // A new instance per `resolve` call. It belongs to the caller, so it need not be Sendable.
        container.register(transient: (any ReceiptBuilder).self) { _ in TextReceipt() }
        registerDay(in: container)
    }

    /// Registers the services of a new day, which replace the services of the day before.
    package static func registerDay(in container: DependencyContainer) {
        container.register(Warehouse(Catalogue.stock), for: (any Inventory).self, replacing: true)
        container.register(DayBook(), for: (any OrderBook).self, replacing: true)
        container.register(DigestingAuditLog(), for: (any AuditLog).self, replacing: true)
    }
}
