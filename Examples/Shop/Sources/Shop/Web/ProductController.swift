/// Answers what can be bought.
package struct ProductController: Sendable {
    private let catalogue: Catalogue

    package init(catalogue: Catalogue) {
        self.catalogue = catalogue
    }

    package func list() -> [Product] { catalogue.products }

    package func product(_ id: String) throws(ShopError) -> Product {
        guard let product = catalogue[id] else { throw .unknownProduct(id) }
        return product
    }
}
