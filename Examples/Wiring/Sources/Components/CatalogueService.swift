/// The prices of products, cached.
package struct CatalogueService: Sendable {
    private let products: ProductRepository
    private let cache: any Cache

    @Sendable package init(products: ProductRepository, cache: any Cache) {
        self.products = products
        self.cache = cache
    }

    package func prices() async throws -> [String: Int] {
        if let prices = try await cache.prices() { return prices }
        let prices = try await products.prices()
        try await cache.store(prices)
        return prices
    }

    package func price(of product: String) async throws -> Int {
        guard let price = try await prices()[product] else { throw UnknownProduct(product: product) }
        return price
    }
}

package struct UnknownProduct: Error, Equatable {
    package let product: String

    package init(product: String) {
        self.product = product
    }
}
