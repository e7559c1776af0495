package import Hopoate

/// All modules of the shop. Those that follow their settings may be installed apart from it.
package struct ShopModule: DependencyModule {
    private let following: [any DependencyModule]

    /// - Parameter settings: The settings of the database and of the payment provider; nil if their modules are installed apart.
    package init(_ settings: Settings?) {
        following = settings.map { [$0.storage, $0.payment] } ?? []
    }

    package var modules: [any DependencyModule] {
        following
        CatalogueModule()
        SessionsModule()
        WebModule()
    }
}
