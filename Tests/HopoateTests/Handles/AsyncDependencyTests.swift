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

    @TaskLocal private static var label = "none"

    /// A service of a request, and the task-local of the code that created it.
    private final class Session: Sendable {
        let pool: Pool
        let label = AsyncDependencyTests.label
        init(pool: Pool) { self.pool = pool }
    }

    private struct Handler: Sendable {
        let session: Session
        let pool: Pool
        let label = AsyncDependencyTests.label
        init(session: Session, pool: Pool) { (self.session, self.pool) = (session, pool) }
    }

    /// Without a task: a task per service would cost a request more than all its lookups.
    @Test(arguments: [false, true])
    func requestServicesAreCreatedInTheTaskOfTheRequestOnceTheirDependenciesExist(exists: Bool) async throws {
        registerAll()
        container.register(Session.self, lifetime: .scoped, using: Session.init)
        container.register(Handler.self, lifetime: .transient, using: Handler.init)
        if exists { _ = try await container.asyncResolve(Pool.self) }
        let child = container.makeChild()
        try await AsyncDependencyTests.$label.withValue("request") {
            let handler = try await child.asyncResolve(Handler.self)
            #expect(handler.label == "request")
            #expect(handler.session.label == (exists ? "request" : "none"))
            #expect(handler.session === child.resolve(Session.self) && handler.pool === handler.session.pool)
            // By now, everything exists.
            #expect(try await container.makeChild().asyncResolve(Handler.self).session.label == "request")
        }
    }

    @Test func concurrentCallersShareARequestServiceWhoseDependenciesExist() async throws {
        registerAll()
        _ = try await container.asyncResolve(Pool.self)
        container.register(Session.self, lifetime: .scoped, using: Session.init)
        for _ in 0..<rounds(50) {
            let child = container.makeChild()
            let sessions = try await withThrowingTaskGroup(of: Session.self) { group in
                for _ in 0..<4 { group.addTask { try await child.asyncResolve(Session.self) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(sessions.allSatisfy { $0 === sessions[0] })
        }
    }
}
