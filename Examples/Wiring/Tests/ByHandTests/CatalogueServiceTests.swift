import Components
import Stubs
import Testing

@Suite struct CatalogueServiceTests {
    @Test func pricesAreReadOnce() async throws {
        let cache = StubCache()
        let catalogue = try await makeCatalogue(cache)
        #expect(try await catalogue.prices() == ["tea": 3, "coffee": 4])
        #expect(try await cache.prices() == ["tea": 3, "coffee": 4])
    }

    @Test func cachedPricesAreNotRead() async throws {
        let catalogue = try await makeCatalogue(StubCache(["tea": 7]))
        #expect(try await catalogue.price(of: "tea") == 7)
    }

    private func makeCatalogue(_ cache: StubCache) async throws -> CatalogueService {
        let database = try await Database.open(events: Events())
        return CatalogueService(products: ProductRepository(database: database), cache: cache)
    }
}
