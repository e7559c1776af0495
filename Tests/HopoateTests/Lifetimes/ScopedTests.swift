import Hopoate
import Testing

/// `Lifetime.scoped`: one instance per container.
@Suite(.mayBlock) struct ScopedTests {
    let container = DependencyContainer()
    let tracker = Tracker()

    @Test(arguments: threadCounts)
    func factoryRunsOncePerContainer(threads: Int) {
        for _ in 0..<rounds(100) {
            let tracker = Tracker()
            let container = DependencyContainer()
            container.register(Tracked.self, lifetime: .scoped) { _ in tracker.make() }
            let containers = [container, container.makeChild(), container.makeChild().makeChild()]
            let services = race(threads) { index in
                containers.indices.map { containers[($0 + index) % 3].resolve(Tracked.self) }
            }
            check(Tracker.count(services.flatMap { $0 }) == 3 && tracker.made == 3)
            check(containers.allSatisfy { $0.resolve(Tracked.self) === $0.resolve(Tracked.self) })
        }
    }

    @Test func factoryGetsTheResolvingContainer() {
        container.register(ObjectIdentifier.self, lifetime: .scoped) { identity(of: $0) }
        let child = container.makeChild()
        #expect(child.resolve(ObjectIdentifier.self) == ObjectIdentifier(child))
        #expect(container.resolve(ObjectIdentifier.self) == ObjectIdentifier(container))
    }

    @Test func instanceOfAChildIsReleasedWithIt() {
        container.register(Tracked.self, lifetime: .scoped) { [tracker] _ in tracker.make() }
        for _ in 0..<10 {
            let child = container.makeChild()
            #expect(child.resolve(Tracked.self) === child.resolve(Tracked.self))
        }
        expectGone(tracker)
        #expect(tracker.made == 10)
    }

    @Test func childKeepsItsInstanceWhenTheParentRemovesTheRegistration() {
        let token = container.register(Tracked.self, lifetime: .scoped) { [tracker] _ in tracker.make() }
        var child: DependencyContainer? = container.makeChild()
        let service = child?.resolve(Tracked.self)
        container.remove(token)
        #expect(child?.optionalResolve(Tracked.self) == nil)
        #expect(service?.isIntact == true && tracker.live == 1)
        container.register(Tracked.self, lifetime: .scoped) { [tracker] _ in tracker.make(2) }
        #expect(child?.resolve(Tracked.self).number == 2)
        child = nil
    }

    @Test func instanceIsReleasedWithTheRegistrationOfItsContainer() {
        let removed = Locked<[Int]>([])
        for number in 0..<3 {
            let token = Locked<ServiceRegistration<Tracked>?>(nil)
            token.withLock {
                $0 = container.register(Tracked.self, lifetime: .scoped) { [tracker] _ in
                    tracker.make(number)
                } onDispose: { service in
                    removed.withLock { $0.append(service.number) }
                }
            }
            #expect(container.resolve(Tracked.self).number == number)
            token.take().map(container.remove)
            #expect(removed.current == Array(0...number))
        }
        expectGone(tracker)
        #expect(removed.current == [0, 1, 2])
    }

    /// The instance of a child, or its failed creation, does not keep the instance of the parent alive.
    @Test(arguments: [false, true])
    func instanceIsReleasedWithTheRegistrationWhileChildrenLive(childFails: Bool) throws {
        let child = container.makeChild()
        let token = Locked<ServiceRegistration<Tracked>?>(
            container.register(Tracked.self, lifetime: .scoped) { [container, tracker] asked in
                if childFails, asked !== container { throw Refusal.first }
                return tracker.make(asked === container ? 1 : 2)
            })
        #expect(container.resolve(Tracked.self).number == 1)
        #expect((try? child.require(Tracked.self))?.number == (childFails ? nil : 2))
        token.take().map(container.remove)
        #expect(tracker.live == (childFails ? 0 : 1))
        withExtendedLifetime(child) {}
    }

    @Test func registrationsOfOneTypeHaveSeparateInstances() {
        let below = container.register(Tracked.self, lifetime: .scoped) { [tracker] _ in tracker.make(1) }
        let child = container.makeChild()
        #expect(child.resolve(Tracked.self).number == 1)
        let above = container.register(Tracked.self, lifetime: .scoped) { [tracker] _ in tracker.make(2) }
        #expect(child.resolve(Tracked.self).number == 2)
        #expect(child.resolveAll(Tracked.self).map(\.number) == [2, 1])
        container.remove(above)
        #expect(child.resolve(Tracked.self).number == 1)
        #expect(tracker.made == 2)
        _ = below
    }

    @Test func removeAllReleasesScopedInstances() {
        let ends = Locked(0)
        container.register(Tracked.self, lifetime: .scoped) { [tracker] _ in
            tracker.make()
        } onDispose: { _ in
            ends.withLock { $0 += 1 }
        }
        let child = container.makeChild()
        _ = child.resolve(Tracked.self)
        child.removeAll()
        #expect(ends.current == 1)
        _ = child.resolve(Tracked.self)
        #expect(tracker.made == 2)
    }

    @Test func scopedInstancesAreNotListedAsRegistrations() {
        container.register(Int.self, lifetime: .scoped) { _ in 1 }
        let child = container.makeChild()
        _ = child.resolve(Int.self)
        let error = failure { () throws(DependencyError) in try child.require(String.self) }
        #expect(error?.description.contains("Swift.Int") == false)
    }

    @Test func throwingFactoryIsRetried() {
        let attempts = Locked(0)
        container.register(Int.self, lifetime: .scoped) { _ in
            try attempts.withLock { attempts in
                attempts += 1
                if attempts % 2 == 1 { throw Refusal.first }
                return attempts
            }
        }
        for asked in [container, container.makeChild()] {
            #expect(failure { () throws(DependencyError) in try asked.require(Int.self) }?.reason == .creationFailed)
            #expect(asked.resolve(Int.self) == asked.resolve(Int.self))
        }
        #expect(attempts.current == 4)
    }

    @Test func manyShortLivedChildrenLeaveNothing() {
        container.register(Tracked.self, lifetime: .scoped) { [tracker] _ in tracker.make() }
        runThreads(4) { [container] _ in
            for _ in 0..<rounds(2000) { _ = container.makeChild().resolve(Tracked.self) }
        }
        expectGone(tracker)
    }
}
