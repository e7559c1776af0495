package import Hopoate

/// What the shop is made of. The one place that names both a protocol and what stands behind it.
package enum Services {
    /// Registers what lives as long as the program.
    package static func register(in container: DependencyContainer) {
        // An initializer, and what it takes: the catalogue.
        container.register(Catalogue.articles, for: [Article].self)
        container.register((any PriceList).self, using: FixedPriceList.init)
        container.register(NationalTaxRules(), for: (any TaxRules).self)
        container.register(DailyRates(), for: (any CurrencyTable).self)
        // Made when it is first asked for, once.
        container.register((any PaymentService).self) { _ in CardGateway() }
        container.register(MonotonicTime(), for: (any TimeSource).self)
        // A new instance per `resolve` call, which is the caller's alone: it is not Sendable.
        container.register(transient: (any ReceiptBuilder).self) { _ in TextReceipt() }
        registerDay(in: container)
    }

    /// Registers what begins anew each day, in the place of what is there from the day before.
    package static func registerDay(in container: DependencyContainer) {
        container.register(Warehouse(Catalogue.stock), for: (any Inventory).self, replacing: true)
        container.register(DayBook(), for: (any OrderBook).self, replacing: true)
        container.register(DigestingAuditLog(), for: (any AuditLog).self, replacing: true)
    }
}
