/// The products in memory, read when the service starts.
public final class Catalogue: Sendable {
    /// By article number.
    package let products: [Product]
    private let byID: [String: Product]

    package init(_ products: [Product]) {
        self.products = products
        byID = Dictionary(products.map { ($0.id, $0) }) { first, _ in first }
    }

    /// Reads the products of a store.
    @Sendable public static func load(from store: ProductStore) async throws -> Catalogue {
        Catalogue(try await store.all())
    }

    package subscript(id: String) -> Product? { byID[id] }
}
