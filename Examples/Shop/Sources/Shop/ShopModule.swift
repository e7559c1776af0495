package import Hopoate

/// All of the shop.
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
