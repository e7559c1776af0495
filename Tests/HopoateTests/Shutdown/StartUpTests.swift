import Hopoate
import Testing

/// Initializers and warm-up at the start of a program.
struct StartUpTests {
    private struct Configuration {
        init() {}
    }

    private struct Database: Sendable {}
    private struct Cache: Sendable {
        init(_ database: Database) {}
    }
    private struct Orders {
        init(_ database: Database, _ cache: Cache) {}
    }
    private struct Customers {
        init(_ orders: Orders) {}
    }

    @Test func initializersWithoutParametersResolveNothing() throws {
        let container = DependencyContainer()
        container.register(Configuration.self, using: Configuration.init)
        _ = try container.require(Configuration.self)
    }

    @Test func initializersResolveEachOfManyParameters() throws {
        final class Seven: @unchecked Sendable {
            let sum: Int
            init(_ a: Int, _ b: Int8, _ c: Int16, _ d: Int32, _ e: UInt8, _ f: UInt16, _ g: UInt32) {
                sum = a + Int(b) + Int(c) + Int(d) + Int(e) + Int(f) + Int(g)
            }
        }
        let container = DependencyContainer()
        container.register(1, for: Int.self)
        container.register(2, for: Int8.self)
        container.register(3, for: Int16.self)
        container.register(4, for: Int32.self)
        container.register(5, for: UInt8.self)
        container.register(6, for: UInt16.self)
        container.register(7, for: UInt32.self)
        container.register(Seven.self, using: Seven.init)
        #expect(try container.require(Seven.self).sum == 28)
    }

    /// `warmUp` visits registrations in the order of their addresses. Many containers cover every order.
    @Test(arguments: 1...20) func warmUpCreatesDependentsOfAsynchronousSingletons(_: Int) async throws {
        let container = DependencyContainer()
        container.register(Customers.self, using: Customers.init)
        container.register(Orders.self) { container in try Orders(container(), container()) }
        container.register(Cache.self) { container async throws in Cache(try container.require()) }
        container.register(Database.self) { _ async throws in Database() }
        try await container.warmUp()
        _ = try container.require(Customers.self)
    }

    @Test func warmUpStopsWithoutProgress() async throws {
        let container = DependencyContainer()
        container.register(Database.self, lifetime: .transient) { _ async throws in Database() }
        container.register(Cache.self) { container in Cache(try container.require()) }
        let error = await #expect(throws: DependencyError.self) { try await container.warmUp() }
        #expect(error?.reason == .onlyAsynchronous)
    }
}
