import Hopoate
import Testing

/// `asyncResolve` of services whose scoped dependencies do not exist yet: the usual first call of a request.
@Suite(.mayBlock) struct AsyncScopedTests {
    @TaskLocal private static var label = "none"

    /// A scoped service, and the task-local of the code that created it.
    private final class Session: Sendable {
        let part: Tracked
        let label = AsyncScopedTests.label
        init(part: Tracked) { self.part = part }
    }

    /// A scoped service that needs another one.
    private final class Cart: Sendable {
        let session: Session
        let part: Tracked
        let label = AsyncScopedTests.label
        init(session: Session, part: Tracked) { (self.session, self.part) = (session, part) }
    }

    /// A transient service between a controller and its scoped services.
    private struct Till: Sendable {
        let cart: Cart
    }

    private struct Controller: Sendable {
        let cart: Cart
        let till: Till
        let part: Tracked
    }

    private final class Pool: Sendable {}

    /// A transient service with a part of the object graph.
    private struct Stamp: Sendable {
        let part: Tracked
    }

    private final class Page: Sendable {
        let session: Session
        let stamp: Stamp
        init(session: Session, stamp: Stamp) { (self.session, self.stamp) = (session, stamp) }
    }

    /// A page that also needs a service whose factory suspends.
    private final class Shelf: Sendable {
        let session: Session
        let pool: Pool
        let stamp: Stamp
        init(session: Session, pool: Pool, stamp: Stamp) {
            (self.session, self.pool, self.stamp) = (session, pool, stamp)
        }
    }

    private let container = DependencyContainer()
    private let tracker = Tracker()

    private func registerAll(part: Lifetime = .singleton) {
        container.register(Tracked.self, lifetime: part) { [tracker] _ in tracker.make() }
        container.register(Session.self, lifetime: .scoped, using: Session.init)
        container.register(Cart.self, lifetime: .scoped, using: Cart.init)
        container.register(Till.self, lifetime: .transient, using: Till.init)
        container.register(Controller.self, lifetime: .transient, using: Controller.init)
        container.register(Stamp.self, lifetime: .transient) { try Stamp(part: $0()) }
        container.register(Page.self, lifetime: .transient, using: Page.init)
        container.register(Pool.self) { _ async in
            await Task.yield()
            return Pool()
        }
    }

    @Test func scopedDependenciesAreCreatedInTheTaskOfTheCaller() async throws {
        registerAll()
        _ = container.resolve(Tracked.self)
        try await Self.$label.withValue("request") {
            let child = container.makeChild()
            let controller = try await child.asyncResolve(Controller.self)
            #expect(controller.cart.label == "request" && controller.cart.session.label == "request")
            #expect(controller.cart === child.resolve(Cart.self) && controller.till.cart === controller.cart)
            let cart = try await container.makeChild().asyncResolve(Cart.self)
            #expect(cart.label == "request" && cart.session.label == "request")
        }
    }

    /// The hook of a transaction decides how it ends, so services with hooks are usual in a request.
    @Test func scopedDependencyWithAHookIsCreatedInTheTaskOfTheCaller() async throws {
        registerAll()
        _ = container.resolve(Tracked.self)
        let disposed = Locked<[String]>([])
        container.register(
            Session.self, lifetime: .scoped, using: Session.init,
            onDispose: { session in disposed.withLock { $0.append(session.label) } })
        try await Self.$label.withValue("request") {
            let child = container.makeChild()
            let controller = try await child.asyncResolve(Controller.self)
            #expect(controller.cart.label == "request" && controller.cart.session.label == "request")
            #expect(controller.cart.session === child.resolve(Session.self))
            try await child.shutdown()
        }
        #expect(disposed.current == ["request"])
    }

    /// The session is created first, and its part of the graph with it.
    @Test(arguments: [Lifetime.transient, .scoped])
    func graphServiceIsSharedWithANewScopedDependency(_ lifetime: Lifetime) async throws {
        registerAll(part: .graph)
        container.register(Session.self, lifetime: .scoped) { try Session(part: $0()) }
        container.register(Page.self, lifetime: lifetime, using: Page.init)
        container.register(Shelf.self, lifetime: lifetime, using: Shelf.init)
        let page = try await container.makeChild().asyncResolve(Page.self)
        #expect(page.session.part === page.stamp.part)
        // The pool does not exist, so the caller is suspended after the session has been created.
        let shelf = try await container.makeChild().asyncResolve(Shelf.self)
        #expect(shelf.session.part === shelf.stamp.part)
        #expect(tracker.made == 2)
    }

    @Test func errorNamesAllServicesDownToTheOneThatFailed() async {
        registerAll()
        container.register(Session.self, lifetime: .scoped) { _ in throw Refusal.first }
        container.register(
            Controller.self, lifetime: .transient,
            using: { (till: Till, part: Tracked) in Controller(cart: till.cart, till: till, part: part) })
        _ = container.resolve(Tracked.self)
        let child = container.makeChild()
        for _ in 0..<2 {
            let error = await failure { () async throws(DependencyError) in
                try await child.asyncResolve(Controller.self)
            }
            #expect(error?.reason == .creationFailed && error?.underlying as? Refusal == .first)
            #expect(error?.chain.map { $0.split(separator: ".").last } == ["Controller", "Till", "Cart", "Session"])
        }
    }

    @Test func scopedServicesThatNeedEachOtherAreReported() async {
        final class Egg: Sendable {
            init(hen: Hen) {}
        }
        final class Hen: Sendable {
            init(egg: Egg) {}
        }
        container.register(Egg.self, lifetime: .scoped, using: Egg.init)
        container.register(Hen.self, lifetime: .scoped, using: Hen.init)
        let child = container.makeChild()
        let error = await failure { () async throws(DependencyError) in try await child.asyncResolve(Egg.self) }
        #expect(error?.reason == .circular)
        #expect(error?.chain.count == 3)
    }

    @Test func captiveDependencyIsReportedAndNotCreated() async {
        registerAll()
        let sessions = Locked(0)
        container.register(Session.self, lifetime: .scoped) { container in
            sessions.withLock { $0 += 1 }
            return try Session(part: container())
        }
        let child = container.makeChild()
        child.register(Int.self) { container async throws in
            _ = try await container.asyncResolve(Controller.self)
            return 1
        }
        let error = await failure { () async throws(DependencyError) in try await child.asyncResolve(Int.self) }
        #expect(error?.reason == .captive)
        #expect(sessions.current == 0)
    }

    @Test(arguments: [false, true]) func taskIsSuspendedWhileAThreadCreatesADependency(hasHook: Bool) async throws {
        registerAll()
        _ = container.resolve(Tracked.self)
        let (isCreating, isOver) = (Signal(), Signal())
        let hook: (@Sendable (Session) throws -> Void)? = hasHook ? { @Sendable _ in } : nil
        container.register(
            Session.self, lifetime: .scoped,
            factory: { container in
                isCreating.raise()
                #expect(isOver.wait())
                return try Session(part: container())
            }, onDispose: hook)
        let child = container.makeChild()
        let thread = RealThread { _ = child.resolve(Session.self) }
        #expect(await isCreating.wait())
        // More tasks than the pool has threads: if they blocked their threads, no task could raise the signal.
        let pages = (0..<32).map { _ in Task { try await child.asyncResolve(Page.self).session } }
        let carts = (0..<32).map { _ in Task { try await child.asyncResolve(Cart.self).session } }
        await Task { await Task.yield() }.value
        isOver.raise()
        for task in pages + carts { #expect(try await task.value === child.resolve(Session.self)) }
        await thread.join()
    }

    @Test func concurrentCallersShareAllScopedDependencies() async throws {
        registerAll()
        _ = container.resolve(Tracked.self)
        let made = Locked(0)
        container.register(Session.self, lifetime: .scoped) { container in
            made.withLock { $0 += 1 }
            return try Session(part: container())
        }
        let rounds = rounds(200)
        for _ in 0..<rounds {
            let child = container.makeChild()
            let carts = try await withThrowingTaskGroup(of: Cart.self) { group in
                for number in 0..<4 {
                    group.addTask {
                        number % 2 == 0
                            ? try await child.asyncResolve(Controller.self).cart
                            : try await child.asyncResolve(Cart.self)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(carts.allSatisfy { $0 === carts[0] } && carts[0].session === child.resolve(Session.self))
        }
        #expect(made.current == rounds)
    }

    @Test func childThatHasEndedGetsNoScopedDependency() async throws {
        registerAll()
        _ = container.resolve(Tracked.self)
        let child = container.makeChild()
        container.register(Session.self, lifetime: .scoped) { container in
            try container.shutdownWithoutAwaitingHooks()
            return try Session(part: container())
        }
        let error = await failure { () async throws(DependencyError) in
            try await child.asyncResolve(Controller.self)
        }
        #expect(error?.reason == .shutDown)
    }
}
