import Hopoate
import Testing

/// Initializers and aliases that depend on asynchronously created services.
@Suite(.mayBlock) struct AsyncDependencyTests {
    private final class Pool: Sendable {}

    private final class Store: Sendable {
        let pool: Pool
        init(pool: Pool) { self.pool = pool }
    }

    private protocol Entrance: AnyObject, Sendable {}

    private final class Facade: Entrance {
        let (store, pool, optional): (Store, Pool, Pool?)
        init(store: Store, pool: Pool, optional: Pool?) {
            (self.store, self.pool, self.optional) = (store, pool, optional)
        }
    }

    let container = DependencyContainer()

    private func registerAll(_ lifetime: Lifetime = .singleton) {
        container.register(Pool.self, lifetime: lifetime) { _ async in
            await Task.yield()
            return Pool()
        }
        container.register(Store.self, using: Store.init)
        container.register(Facade.self, lifetime: .transient, using: Facade.init)
        container.forward((any Entrance).self, to: Facade.self) { $0 }
    }

    @Test func initializerTakesParametersThatAreCreatedAsynchronously() async throws {
        registerAll()
        let facade = try await container.asyncResolve(Facade.self)
        #expect(facade.store.pool === facade.pool && facade.optional === facade.pool)
        #expect(container.resolve(Store.self) === facade.store)
    }

    @Test func aliasResolvesToAnAsynchronouslyCreatedService() async throws {
        registerAll()
        #expect(try await container.asyncResolve((any Entrance).self) is Facade)
        #expect(container.resolve((any Entrance).self) is Facade)
    }

    @Test func synchronousResolveFailsUntilTheInstanceExists() async throws {
        registerAll()
        let early = failure { [container] () throws(DependencyError) in try container.require(Facade.self) }
        #expect(early?.reason == .onlyAsynchronous)
        _ = try await container.asyncResolve(Pool.self)
        #expect(try container.require(Facade.self).pool === container.resolve(Pool.self))
    }

    @Test func decoratedInitializerTakesAsynchronousParameters() async throws {
        registerAll()
        container.decorate(Store.self) { inner, _ in Store(pool: inner.pool) }
        let store = try await container.asyncResolve(Store.self)
        #expect(store.pool === container.resolve(Pool.self))
    }

    @Test func synchronousResolveDoesNotWaitForASuspendedCreation() async throws {
        let (begun, goOn) = (AsyncSignal(), AsyncSignal())
        container.register(Pool.self) { _ async in
            begun.raise()
            await goOn.wait()
            return Pool()
        }
        container.register(Store.self, using: Store.init)
        async let store = container.asyncResolve(Store.self)
        await begun.wait()
        let error = failure { [container] () throws(DependencyError) in try container.require(Store.self) }
        #expect(error?.reason == .onlyAsynchronous)
        goOn.raise()
        #expect(try await store === container.resolve(Store.self))
    }
}
