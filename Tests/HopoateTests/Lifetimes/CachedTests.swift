import Foundation
import Hopoate
import Testing

/// `Lifetime.cached`: one instance until its scope is reset.
@Suite(.mayBlock) struct CachedTests {
    let container = DependencyContainer()
    let scope = DependencyScope("session")
    let tracker = Tracker()

    @Test(arguments: threadCounts)
    func factoryRunsOncePerGeneration(threads: Int) {
        for _ in 0..<rounds(30) {
            let tracker = Tracker()
            let container = DependencyContainer()
            let scope = DependencyScope("session")
            container.register(Tracked.self, lifetime: .cached(in: scope)) { _ in tracker.make() }
            for generation in 1...3 {
                let services = race(threads) { _ in container.resolve(Tracked.self) }
                check(Tracker.count(services) == 1 && tracker.made == generation)
                scope.reset()
            }
        }
    }

    @Test func resetReleasesOnlyServicesOfTheScope() {
        let other = DependencyScope("other")
        container.register(Tracked.self, lifetime: .cached(in: scope)) { [tracker] _ in tracker.make(1) }
        container.register(Tracked.self, named: "second", lifetime: .cached(in: scope)) { [tracker] _ in tracker.make(2)
        }
        let kept = Tracker()
        container.register(Tracked.self, named: "other", lifetime: .cached(in: other)) { _ in kept.make(3) }
        container.register(Tracked.self, named: "singleton") { _ in kept.make(4) }
        for name in [nil, "second", "other", "singleton"] as [DependencyName?] {
            _ = container.optionalResolve(Tracked.self, named: name)
        }
        scope.reset()
        #expect(tracker.live == 0 && kept.live == 2)
        #expect(container.resolve(Tracked.self).number == 1)
        #expect(container.resolve(Tracked.self, named: "other").number == 3)
        #expect(tracker.made == 3 && kept.made == 2)
    }

    @Test func scopeSpansContainers() {
        let others = [container, DependencyContainer(), container.makeChild()]
        for container in others {
            container.register(Tracked.self, lifetime: .cached(in: scope)) { [tracker] _ in tracker.make() }
            _ = container.resolve(Tracked.self)
        }
        #expect(tracker.live == 3)
        scope.reset()
        #expect(tracker.live == 0)
        withExtendedLifetime(others) {}
    }

    @Test func resetBeforeTheFirstResolveIsHarmless() {
        scope.reset()
        container.register(Tracked.self, lifetime: .cached(in: scope)) { [tracker] _ in tracker.make() }
        scope.reset()
        #expect(container.resolve(Tracked.self) === container.resolve(Tracked.self))
    }

    @Test func hooksRunBeforeResetReturns() {
        let ends = Locked<[Int]>([])
        container.register(Tracked.self, lifetime: .cached(in: scope)) { [tracker] _ in
            tracker.make(tracker.made)
        } onDispose: { service in
            ends.withLock { $0.append(service.number) }
        }
        for generation in 0..<3 {
            _ = container.resolve(Tracked.self)
            #expect(ends.current == Array(0..<generation))
            scope.reset()
            #expect(ends.current == Array(0...generation))
            scope.reset()
        }
        #expect(ends.current == [0, 1, 2])
        #expect(tracker.live == 0)
    }

    @Test func resolveAfterAResetGetsANewInstance() {
        let (isCreating, isReset) = (Signal(), Signal())
        container.register(Tracked.self, lifetime: .cached(in: scope)) { [tracker] _ in
            let number = tracker.made
            let service = tracker.make(number)
            if number == 0 {
                isCreating.raise()
                #expect(isReset.wait())
            }
            return service
        }
        let early = RealThread { [container] in #expect(container.resolve(Tracked.self).number == 0) }
        #expect(isCreating.wait())
        scope.reset()
        // While the first creation is in flight.
        let isAsking = Signal()
        let late = RealThread { [container] in
            isAsking.raise()
            #expect(container.resolve(Tracked.self).number == 1)
        }
        #expect(isAsking.wait())
        Thread.sleep(forTimeInterval: 0.02)
        isReset.raise()
        early.join()
        late.join()
        #expect(container.resolve(Tracked.self).number == 1)
    }

    @Test func asyncResolveAfterAResetGetsANewInstance() async throws {
        let (isCreating, isReset) = (Signal(), Signal())
        container.register(Tracked.self, lifetime: .cached(in: scope)) { [tracker] _ async in
            let number = tracker.made
            let service = tracker.make(number)
            if number == 0 {
                isCreating.raise()
                #expect(await isReset.wait())
            }
            return service
        }
        async let early = container.asyncResolve(Tracked.self)
        #expect(await isCreating.wait())
        scope.reset()
        async let late = container.asyncResolve(Tracked.self)
        for _ in 0..<100 { await Task.yield() }
        isReset.raise()
        #expect(try await early.number == 0)
        #expect(try await late.number == 1)
    }

    @Test func resolvesAndResetsMayRace() {
        container.register(Tracked.self, lifetime: .cached(in: scope)) { [tracker] _ in
            tracker.make(tracker.made)
        }
        let resets = rounds(3000)
        runThreads(4) { [container, scope, tracker] index in
            if index == 0 {
                for _ in 0..<resets {
                    let made = tracker.made
                    scope.reset()
                    check(container.resolve(Tracked.self).number >= made)
                }
            } else {
                for _ in 0..<resets { check(container.resolve(Tracked.self).isIntact) }
            }
        }
        scope.reset()
        expectGone(tracker)
    }

    @Test func scopeDoesNotKeepRegistrationsAlive() {
        let token = Locked<ServiceRegistration<Tracked>?>(nil)
        token.withLock {
            $0 = container.register(Tracked.self, lifetime: .cached(in: scope)) { [tracker] _ in tracker.make() }
        }
        _ = container.resolve(Tracked.self)
        token.take().map(container.remove)
        expectGone(tracker)
        scope.reset()
    }

    @Test func hookMayResetItsOwnScope() {
        let ends = Locked(0)
        container.register(Tracked.self, lifetime: .cached(in: scope)) { [tracker] _ in
            tracker.make()
        } onDispose: { [scope, container] _ in
            ends.withLock { $0 += 1 }
            if ends.current < 3 { _ = container.resolve(Tracked.self) }
            scope.reset()
        }
        _ = container.resolve(Tracked.self)
        scope.reset()
        #expect(ends.current == 3 && tracker.live == 0)
        container.removeAll()
    }
}
