import Hopoate
import Testing

// Unchecked, because of the variable and the wrapped properties. Sound, because only the test that creates it uses the variable, and
// the wrappers are thread-safe.
private final class Holder: @unchecked Sendable {
    @LazyDependency var wrapped: Tracked
    @Dependency var captured: Tracked
    @DynamicDependency var dynamic: Tracked
    let lazy: LazyDependency<Tracked>
    let provider: DependencyProvider<Tracked>
    var parts: [Tracked] = []

    init(_ container: DependencyContainer) {
        lazy = LazyDependency(container: container)
        provider = container.provider()
    }

    func use() { parts += [lazy.wrappedValue, lazy.resolve(), provider(), provider(), wrapped, captured, dynamic] }

    func useSuspending() async throws {
        parts += [try await provider.asyncResolve(), try await lazy.asyncResolve()]
        await Task.yield()
        async let first = provider.asyncResolve()
        async let second = $wrapped.asyncResolve()
        parts += [try await first, try await second]
    }
}

private struct Root: Sendable {
    let first: Tracked
    let holder: Holder
    let last: Tracked

    var parts: [Tracked] { holder.parts + [first, last] }
}

extension Lifetime {
    /// Whether a creation is owned by its registration, and so has an object graph of its own.
    fileprivate var beginsGraph: Bool { !["transient", "graph", "scoped"].contains("\(self)") }
}

extension Root {
    /// Checks that the holder got the same instance each time: that of the root's graph, or one of its own.
    fileprivate func expectGraphs(holderHasItsOwn: Bool, _ place: SourceLocation = #_sourceLocation) {
        #expect(first === last, sourceLocation: place)
        #expect(Tracker.count(holder.parts) == 1, sourceLocation: place)
        #expect((first === holder.parts[0]) == !holderHasItsOwn, sourceLocation: place)
    }
}

/// `Lifetime.graph` in lazy dependencies, providers and wrappers: while a graph is built, they get the instances of that graph. The
/// creation of a service that its registration owns has a graph of its own.
@Suite(.mayBlock) struct GraphHandleTests {
    static let lifetimes: [Lifetime] = [
        .transient, .graph, .scoped, .singleton, .weak, .cached(in: DependencyScope("scope")),
    ]

    let container = DependencyContainer()
    let tracker = Tracker()

    init() {
        container.register(Tracked.self, lifetime: .graph) { [tracker] _ in tracker.make() }
        container.register(Root.self, lifetime: .transient) { container in
            try Root(first: container(), holder: container(), last: container())
        }
    }

    /// Registers the root with an asynchronous factory.
    private func registerSuspendingRoot() {
        container.register(Root.self, lifetime: .transient) { container async throws in
            Root(
                first: try await container.asyncResolve(), holder: try await container.asyncResolve(),
                last: try await container.asyncResolve())
        }
    }

    private func bound<Output>(_ body: () throws -> Output) rethrows -> Output {
        try DependencyContainer.$shared.withValue(container, operation: body)
    }

    private func bound<Output: Sendable>(_ body: () async throws -> Output) async rethrows -> Output {
        try await DependencyContainer.$shared.withValue(container, operation: body)
    }

    @Test(arguments: lifetimes) func aHandleUsedInAFactoryGetsTheInstanceOfTheGraph(lifetime: Lifetime) {
        container.register(Holder.self, lifetime: lifetime) { container in
            let holder = Holder(container)
            holder.use()
            return holder
        }
        let root = bound { container.resolve(Root.self) }
        #expect(root.parts.count == 9)
        root.expectGraphs(holderHasItsOwn: lifetime.beginsGraph)
        #expect(tracker.made == (lifetime.beginsGraph ? 2 : 1))
    }

    @Test(arguments: lifetimes) func aHandleUsedInAfterCreationGetsTheInstanceOfTheGraph(lifetime: Lifetime) {
        container.register(Holder.self, lifetime: lifetime) { container in
            Holder(container)
        } afterCreation: { holder, _ in
            holder.use()
        }
        let root = bound { container.resolve(Root.self) }
        #expect(root.parts.count == 9)
        root.expectGraphs(holderHasItsOwn: lifetime.beginsGraph)
        #expect(tracker.made == (lifetime.beginsGraph ? 2 : 1))
    }

    @Test(arguments: lifetimes) func afterCreationOfTheOutermostServiceBelongsToItsGraph(lifetime: Lifetime) {
        container.register(Holder.self, lifetime: lifetime) { container in
            let holder = Holder(container)
            holder.parts.append(try container())
            return holder
        } afterCreation: { holder, container in
            holder.use()
            holder.parts.append(try container())
        }
        let holder = bound { container.resolve(Holder.self) }
        #expect(holder.parts.count == 9)
        #expect(Tracker.count(holder.parts) == 1)
    }

    @Test func aHandleOfAScopedServiceInAChildGetsTheInstanceOfTheGraph() {
        container.register(Holder.self, lifetime: .scoped) { container in
            let holder = Holder(container)
            holder.use()
            return holder
        }
        let request = container.makeChild()
        let root = DependencyContainer.$shared.withValue(request) { request.resolve(Root.self) }
        #expect(Tracker.count(root.parts) == 1)
    }

    @Test func aHandleMadeOutsideOfTheGraphGetsTheInstanceOfTheRunningGraph() {
        let earlier = bound { Holder(container) }
        container.register(Holder.self) { _ in
            earlier.use()
            return earlier
        }
        let root = bound { container.resolve(Root.self) }
        #expect(root.parts.count == 9)
        root.expectGraphs(holderHasItsOwn: true)
    }

    @Test func theHandleOfAnEarlierGraphGetsTheInstanceOfTheCurrentGraph() {
        container.register(Holder.self) { Holder($0) }
        let holder = bound { container.resolve(Holder.self) }
        container.register(Root.self, lifetime: .transient) { container in
            let holder = try container(Holder.self)
            holder.parts.append(holder.provider())
            return try Root(first: container(), holder: holder, last: container())
        }
        let first = container.resolve(Root.self).first
        let second = container.resolve(Root.self).first
        #expect(first !== second)
        #expect(holder.parts.map(ObjectIdentifier.init) == [first, second].map(ObjectIdentifier.init))
    }

    @Test func aHandleUsedAfterwardsBeginsANewGraph() {
        container.register(Holder.self) { Holder($0) }
        let root = bound { container.resolve(Root.self) }
        let holder = root.holder
        #expect(root.first === root.last)
        #expect(Tracker.count([root.first, holder.provider(), holder.provider(), holder.lazy.resolve()]) == 4)
        #expect(holder.lazy.wrappedValue === holder.lazy.wrappedValue)
    }

    @Test func aHandleSharesItsGraphWithTheDependenciesOfItsService() {
        container.register(Holder.self) { Holder($0) }
        container.register([Tracked].self, lifetime: .transient) { container in try [container(), container()] }
        let parts = container.provider([Tracked].self)()
        #expect(parts[0] === parts[1])
    }

    @Test func graphsOfOtherThreadsAreSeparate() {
        let provider = container.provider(Tracked.self)
        container.register([Tracked].self, lifetime: .transient) { container in
            try [container(), provider(), container()]
        }
        let graphs = race(8) { [container] _ in container.resolve([Tracked].self) }
        #expect(graphs.allSatisfy { Tracker.count($0) == 1 })
        #expect(Tracker.count(graphs.map { $0[0] }) == 8)
    }

    @Test func aFactoryThatThrowsAfterItUsedAHandleLeavesNothing() {
        container.register(Holder.self) { container in
            Holder(container).use()
            throw Refusal.first
        }
        let error = bound { failure { () throws(DependencyError) in try container.require(Holder.self) } }
        #expect(error?.reason == .creationFailed)
        expectGone(tracker)
    }

    // MARK: - Asynchronous factories

    @Test(arguments: lifetimes)
    func aHandleUsedInAnAsynchronousFactoryGetsTheInstanceOfTheGraph(lifetime: Lifetime) async throws {
        registerSuspendingRoot()
        container.register(Holder.self, lifetime: lifetime) { container async throws in
            let holder = Holder(container)
            try await holder.useSuspending()
            holder.use()
            return holder
        }
        let root = try await bound { try await container.asyncResolve(Root.self) }
        #expect(root.parts.count == 13)
        root.expectGraphs(holderHasItsOwn: lifetime.beginsGraph)
        #expect(tracker.made == (lifetime.beginsGraph ? 2 : 1))
    }

    @Test(arguments: lifetimes)
    func aHandleUsedInAfterCreationOfAnAsynchronousServiceGetsTheInstanceOfTheGraph(lifetime: Lifetime) async throws {
        registerSuspendingRoot()
        container.register(Holder.self, lifetime: lifetime) { container async in
            Holder(container)
        } afterCreation: { holder, _ in
            holder.use()
        }
        let root = try await bound { try await container.asyncResolve(Root.self) }
        #expect(root.parts.count == 9)
        root.expectGraphs(holderHasItsOwn: lifetime.beginsGraph)
        #expect(tracker.made == (lifetime.beginsGraph ? 2 : 1))
    }

    @Test(arguments: lifetimes)
    func afterCreationOfTheOutermostAsynchronousServiceBelongsToItsGraph(lifetime: Lifetime) async throws {
        container.register(Holder.self, lifetime: lifetime) { container async throws in
            let holder = Holder(container)
            holder.parts.append(try await container.asyncResolve())
            return holder
        } afterCreation: { holder, container in
            holder.use()
            holder.parts.append(try container())
        }
        let holder = try await bound { try await container.asyncResolve(Holder.self) }
        #expect(holder.parts.count == 9)
        #expect(Tracker.count(holder.parts) == 1)
    }

    @Test(arguments: lifetimes)
    func aSynchronousFactoryInATaskGetsTheInstanceOfTheGraph(lifetime: Lifetime) async throws {
        registerSuspendingRoot()
        container.register(Holder.self, lifetime: lifetime) { container in
            let holder = Holder(container)
            holder.use()
            return holder
        } afterCreation: { holder, _ in
            holder.use()
        }
        let root = try await bound { try await container.asyncResolve(Root.self) }
        #expect(root.parts.count == 16)
        root.expectGraphs(holderHasItsOwn: lifetime.beginsGraph)
    }

    @Test(arguments: lifetimes)
    func anAsynchronousGraphServiceIsTheSameThroughAHandle(lifetime: Lifetime) async throws {
        let tracker = Tracker()
        container.register(Tracked.self, lifetime: .graph) { _ async in
            await Task.yield()
            return tracker.make()
        }
        registerSuspendingRoot()
        container.register(Holder.self, lifetime: lifetime) { container async throws in
            let holder = Holder(container)
            try await holder.useSuspending()
            return holder
        }
        let root = try await bound { try await container.asyncResolve(Root.self) }
        #expect(root.parts.count == 6)
        root.expectGraphs(holderHasItsOwn: lifetime.beginsGraph)
        #expect(tracker.made == (lifetime.beginsGraph ? 2 : 1))
    }

    @Test func anAsynchronousUseAfterwardsBeginsANewGraph() async throws {
        registerSuspendingRoot()
        container.register(Holder.self) { Holder($0) }
        let root = try await bound { try await container.asyncResolve(Root.self) }
        let first = try await root.holder.provider.asyncResolve()
        let second = try await root.holder.provider.asyncResolve()
        #expect(Tracker.count([root.first, first, second]) == 3)
    }
}
