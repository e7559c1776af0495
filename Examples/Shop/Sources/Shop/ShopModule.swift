package import Hopoate

/// All modules of the shop.
package struct ShopModule: DependencyModule {
    package init() {}

    package var modules: [any DependencyModule] {
        StorageModule()
        CatalogueModule()
        PaymentModule()
        SessionsModule()
        WebModule()
    }
}
