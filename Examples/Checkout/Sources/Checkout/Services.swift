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
        // Whoever asks gets a new one.
        container.register((any ReceiptBuilder).self, lifetime: .transient) { _ in TextReceipt() }
        registerDay(in: container)
    }

    /// Registers what begins anew each day, in the place of what is there from the day before.
    package static func registerDay(in container: DependencyContainer) {
        container.overwriteExistingRegistrations(withService: Warehouse(Catalogue.stock), for: (any Inventory).self)
        container.overwriteExistingRegistrations(withService: DayBook(), for: (any OrderBook).self)
        container.overwriteExistingRegistrations(withService: DigestingAuditLog(), for: (any AuditLog).self)
    }
}
