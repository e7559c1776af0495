package import Hopoate

/// What the shop is made of. The one place that names both a protocol and what stands behind it.
package enum Services {
    /// Registers what lives as long as the program.
    package static func register(in container: DependencyContainer) {
        container.register(FixedPriceList(Catalogue.articles), for: (any PriceList).self)
        container.register(NationalTaxRules(), for: (any TaxRules).self)
        container.register(DailyRates(), for: (any CurrencyTable).self)
        container.register(CardGateway(), for: (any PaymentService).self)
        container.register(MonotonicTime(), for: (any TimeSource).self)
        // Uncached: whoever asks gets a new one.
        container.register(service: (any ReceiptBuilder).self, cacheService: false) { TextReceipt() }
        registerDay(in: container)
    }

    /// Registers what begins anew each day, in the place of what is there from the day before.
    package static func registerDay(in container: DependencyContainer) {
        container.overwriteExistingRegistrations(withService: Warehouse(Catalogue.stock), for: (any Inventory).self)
        container.overwriteExistingRegistrations(withService: DayBook(), for: (any OrderBook).self)
        container.overwriteExistingRegistrations(withService: DigestingAuditLog(), for: (any AuditLog).self)
    }
}
