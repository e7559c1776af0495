/// Shows products.
public struct ProductController: Sendable {
    private let catalogue: Catalogue

    /// Creates a controller for a catalogue.
    public init(catalogue: Catalogue) {
        self.catalogue = catalogue
    }

    package func list() -> [Product] { catalogue.products }

    /// Returns the product with an article number.
    public func product(_ id: String) throws(ShopError) -> Product {
        guard let product = catalogue[id] else { throw .unknownProduct(id) }
        return product
    }
}
