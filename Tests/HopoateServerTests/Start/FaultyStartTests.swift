import Hopoate
import HopoateServer
import HopoateTestingHelpers
import Testing

private final class Database: Sendable {}
private final class Cache: Sendable {}
private final class Orders: Sendable {
    init(_ database: Database, _ cache: Cache) {}
}
private final class Customers: Sendable {
    init(_ orders: Orders) {}
}

/// A start and a stop with limits, with a fault in each factory.
@Suite struct FaultyStartTests {
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test(arguments: 1...8) func everyFaultyStartEndsAndClosesWhatWasOpened(width: Int) async throws {
        let test = try #require(Test.current)
        let trait: IsolatedDependenciesTrait = .everyStart(
            of: { container in
                container.register(Database.self) { _ async in
                    Database()
                } onAsyncDispose: { _ in
                    await Task.yield()
                }
                container.register(Cache.self) { container async throws in
                    _ = try await container.asyncResolve(Database.self)
                    return Cache()
                } onDispose: { _ in
                }
                container.register(Orders.self, using: Orders.init, onDispose: { _ in })
                container.register(Customers.self) { container in
                    Customers(try container.require(Orders.self))
                } onDispose: { _ in
                }
            },
            start: { try await $0.warmUp(limit: nil, width: width) },
            stop: { try await $0.shutdown(limit: .seconds(3600)) })
        try await trait.provideScope(for: test, testCase: nil) {}
    }
}
