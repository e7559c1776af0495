import Hopoate
import Testing

/// Decorators around services.
@Suite(.mayBlock) struct DecorateTests {
    let container = DependencyContainer()
    let tracker = Tracker()

    @Test func decoratorWrapsTheNewestServiceUntilItIsRemoved() {
        container.register("a", for: String.self)
        let first = container.decorate(String.self) { inner, _ in "(\(inner))" }
        #expect(container.resolve(String.self) == "(a)")
        let second = container.decorate(String.self) { inner, _ in "[\(inner)]" }
        #expect(container.resolve(String.self) == "[(a)]")
        #expect(container.resolveAll(String.self) == ["[(a)]", "(a)", "a"])
        container.remove(first)
        #expect(container.resolve(String.self) == "[(a)]")
        container.remove(second)
        #expect(container.resolve(String.self) == "a")
    }

    @Test(arguments: threadCounts)
    func decoratorHasTheLifetimeOfItsBase(threads: Int) {
        let decorated = Locked(0)
        func decorate(_ name: DependencyName) {
            container.decorate(Tracked.self, named: name) { inner, _ in
                decorated.withLock { $0 += 1 }
                return inner
            }
        }
        container.register(Tracked.self, named: "singleton") { [tracker] _ in tracker.make() }
        decorate("singleton")
        #expect(decorated.current == 0 && tracker.made == 0)
        _ = race(threads) { [container] _ in container.resolve(Tracked.self, named: "singleton") }
        #expect(decorated.current == 1 && tracker.made == 1)

        container.register(Tracked.self, named: "transient", lifetime: .transient) { [tracker] _ in tracker.make() }
        decorate("transient")
        _ = race(threads) { [container] _ in container.resolve(Tracked.self, named: "transient") }
        #expect(decorated.current == 1 + threads && tracker.made == 1 + threads)

        container.register(Tracked.self, named: "scoped", lifetime: .scoped) { [tracker] _ in tracker.make() }
        decorate("scoped")
        let child = container.makeChild()
        let services = race(threads) { _ in child.resolve(Tracked.self, named: "scoped") }
        #expect(Tracker.count(services) == 1)
        #expect(decorated.current == 2 + threads && tracker.made == 2 + threads)
    }

    @Test func eagerServiceIsDecoratedImmediately() {
        let decorated = Locked(0)
        container.register(7, for: Int.self)
        container.decorate(Int.self) { inner, _ in
            decorated.withLock { $0 += 1 }
            return inner + 1
        }
        #expect(decorated.current == 1)
        #expect(container.resolve(Int.self) == 8 && container.resolve(Int.self) == 8)
        #expect(decorated.current == 1)
    }

    @Test func decoratorInAChildAppliesToTheChildOnly() {
        container.register(String.self) { container in "made with \(container.resolve(Int.self))" }
        container.register(1, for: Int.self)
        let child = container.makeChild()
        child.register(2, for: Int.self)
        child.decorate(String.self) { inner, container in "\(inner), decorated with \(container.resolve(Int.self))" }
        #expect(child.resolve(String.self) == "made with 1, decorated with 2")
        #expect(child.makeChild().resolve(String.self) == "made with 1, decorated with 2")
        #expect(container.resolve(String.self) == "made with 1")
    }

    @Test func asynchronousServiceIsDecoratedAsynchronously() async throws {
        container.register(Tracked.self) { [tracker] _ async in tracker.make(1) }
        let decorated = Locked(0)
        container.decorate(Tracked.self) { inner, _ in
            decorated.withLock { $0 += 1 }
            return inner
        }
        #expect(
            failure { () throws(DependencyError) in try container.require(Tracked.self) }?.reason == .onlyAsynchronous)
        #expect(try await container.asyncResolve(Tracked.self).number == 1)
        #expect(container.resolve(Tracked.self).number == 1)
        #expect(decorated.current == 1 && tracker.made == 1)
    }

    @Test func throwingDecoratorIsRetried() {
        let attempts = Locked(0)
        container.register(Tracked.self) { [tracker] _ in tracker.make() }
        container.decorate(Tracked.self) { inner, _ in
            try attempts.withLock { attempts in
                attempts += 1
                if attempts == 1 { throw Refusal.first }
            }
            return inner
        }
        let error = failure { () throws(DependencyError) in try container.require(Tracked.self) }
        #expect(error?.underlying as? Refusal == .first)
        #expect(container.resolve(Tracked.self).isIntact)
        #expect(attempts.current == 2 && tracker.made == 1)
    }

    @Test func decoratorThatResolvesItsOwnServiceIsReported() {
        container.register(Int.self) { _ in 1 }
        container.decorate(Int.self) { inner, container in try container.require(Int.self) }
        #expect(failure { () throws(DependencyError) in try container.require(Int.self) }?.reason == .circular)
    }

    @Test func hookOfTheDecoratedServiceStillRuns() {
        let ends = Locked(0)
        container.register(Tracked.self) { [tracker] _ in
            tracker.make()
        } onDispose: { _ in
            ends.withLock { $0 += 1 }
        }
        container.decorate(Tracked.self) { inner, _ in inner }
        _ = container.resolve(Tracked.self)
        container.removeAll()
        #expect(ends.current == 1 && tracker.live == 0)
    }

    @Test func removedBaseIsDisposedOfWithItsLastDecorator() {
        let ends = Locked(0)
        let base = container.register(Tracked.self) { [tracker] _ in
            tracker.make()
        } onDispose: { _ in
            ends.withLock { $0 += 1 }
        }
        let inner = container.decorate(Tracked.self) { inner, _ in inner }
        let outer = container.decorate(Tracked.self) { inner, _ in inner }
        let service = container.resolve(Tracked.self)
        container.remove(base)
        container.remove(inner)
        #expect(ends.current == 0)
        #expect(container.resolve(Tracked.self) === service)
        container.remove(outer)
        #expect(ends.current == 1)
        #expect(!container.canResolve(Tracked.self))
    }

    @Test func removingTheInnerDecoratorLeavesTheBase() {
        let ends = Locked(0)
        let base = container.register(Tracked.self) { [tracker] _ in
            tracker.make(1)
        } onDispose: { _ in
            ends.withLock { $0 += 1 }
        }
        let inner = container.decorate(Tracked.self) { inner, _ in inner }
        let outer = container.decorate(Tracked.self) { inner, _ in inner }
        _ = container.resolve(Tracked.self)
        container.remove(inner)
        container.remove(outer)
        #expect(ends.current == 0)
        #expect(container.resolve(Tracked.self).number == 1)
        #expect(tracker.made == 1)
        container.remove(base)
        #expect(ends.current == 1)
    }

    @Test(arguments: [0, 1, 2])
    func droppedContainerDisposesOfDecoratedServices(removed: Int) {
        let ends = Locked(0)
        do {
            let container = DependencyContainer()
            let base = container.register(Tracked.self) { [tracker] _ in
                tracker.make()
            } onDispose: { _ in
                ends.withLock { $0 += 1 }
            }
            let decorator = container.decorate(Tracked.self) { inner, _ in inner }
            _ = container.resolve(Tracked.self)
            if removed == 1 { container.remove(base) }
            if removed == 2 { container.remove(decorator) }
        }
        #expect(ends.current == 1)
        expectGone(tracker)
    }

    @Test func decoratorDoesNotKeepItsContainerAlive() {
        do {
            let container = DependencyContainer()
            for lifetime in [Lifetime.singleton, .transient, .scoped, .eager] {
                container.register(Tracked.self, lifetime: lifetime) { [tracker] _ in tracker.make() }
                container.decorate(Tracked.self) { inner, _ in inner }
                _ = container.resolve(Tracked.self)
                _ = container.makeChild().resolve(Tracked.self)
            }
        }
        expectGone(tracker)
    }

    @Test(arguments: [true, false])
    func decoratorRunsBeforeTheCompletionOfTheDecoratedService(inAFactory: Bool) {
        let steps = Locked<[String]>([])
        container.register(Tracked.self) { [tracker] _ in
            tracker.make(1)
        } afterCreation: { service, _ in
            steps.withLock { $0.append("complete \(service.number)") }
        }
        container.decorate(Tracked.self) { [tracker] inner, _ in
            steps.withLock { $0.append("decorate \(inner.number)") }
            return tracker.make(2)
        }
        container.register(Int.self) { container in container.resolve(Tracked.self).number }
        #expect((inAFactory ? container.resolve(Int.self) : container.resolve(Tracked.self).number) == 2)
        #expect(steps.current == ["decorate 1", "complete 1"])
    }

    @Test func decoratingAMissingServiceIsReported() {
        let container = container
        let error = trap { container.decorate(Tracked.self, fileID: "There.swift", line: 7) { inner, _ in inner } }
        #expect(error?.reason == .notRegistered)
        #expect(
            error?.description.contains("Cannot decorate 'HopoateTests.Tracked' at There.swift:7: no registration")
                == true)
    }
}
