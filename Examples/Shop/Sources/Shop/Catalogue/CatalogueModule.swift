import Hopoate

/// Registers products and prices.
struct CatalogueModule: DependencyModule {
    func register(in container: DependencyContainer) {
        container.register(Catalogue.self, using: Catalogue.load)
        container.register(Pricing.self, using: Pricing.init)
    }
}
