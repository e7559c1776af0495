import Hopoate
import Testing

/// `Lifetime.scoped` with arguments: one instance per value and container.
@Suite(.mayBlock) struct ScopedArgumentTests {
    let container = DependencyContainer()
    let tracker = Tracker()
    let ends = Locked<[Int]>([])

    @discardableResult
    private func register() -> ServiceRegistration<Tracked> {
        container.register(Tracked.self, lifetime: .scoped) { [tracker] (_, number: Int) in
            tracker.make(number)
        } onDispose: { [ends] service in
            ends.withLock { $0.append(service.number) }
        }
    }

    @Test(arguments: threadCounts)
    func factoryRunsOncePerValueAndContainer(threads: Int) {
        for _ in 0..<rounds(50) {
            let (container, tracker) = (DependencyContainer(), Tracker())
            container.register(Tracked.self, lifetime: .scoped) { (_, number: Int) in tracker.make(number) }
            let containers = [container, container.makeChild(), container.makeChild().makeChild()]
            let services = race(threads) { index in
                (0..<6).map { containers[($0 + index) % 3].resolve(Tracked.self, arguments: ($0 + index) % 2) }
            }
            check(Tracker.count(services.flatMap { $0 }) == 6 && tracker.made == 6)
        }
    }

    @Test func factoryGetsTheContainerOfTheCall() {
        container.register(ObjectIdentifier.self, lifetime: .scoped) { (container, _: Int) in identity(of: container) }
        let child = container.makeChild()
        #expect(child.resolve(ObjectIdentifier.self, arguments: 1) == ObjectIdentifier(child))
        #expect(container.resolve(ObjectIdentifier.self, arguments: 1) == ObjectIdentifier(container))
    }

    @Test func instancesOfAChildAreReleasedWithIt() {
        register()
        for _ in 0..<3 {
            let child = container.makeChild()
            let one = child.resolve(Tracked.self, arguments: 1)
            #expect(child.resolve(Tracked.self, arguments: 1) === one)
            _ = child.resolve(Tracked.self, arguments: 2)
        }
        #expect(ends.current == [2, 1, 2, 1, 2, 1])
        expectGone(tracker)
    }

    @Test func shutdownOfAChildDisposesOfEachValueOnce() throws {
        register()
        let child = container.makeChild()
        for number in [3, 1, 2, 1] { _ = child.resolve(Tracked.self, arguments: number) }
        _ = container.resolve(Tracked.self, arguments: 4)
        try child.shutdownWithoutAwaitingHooks()
        #expect(ends.current == [2, 1, 3])
        let error = failure { () throws(DependencyError) in try child.require(Tracked.self, arguments: 1) }
        #expect(error?.reason == .shutDown)
        #expect(container.resolve(Tracked.self, arguments: 4).isIntact)
        try container.shutdownWithoutAwaitingHooks()
        #expect(ends.current == [2, 1, 3, 4])
        expectGone(tracker)
    }

    @Test func instanceThatIsCompleteAfterTheShutdownIsDisposedOf() {
        let (isCreating, isOver) = (Signal(), Signal())
        container.register(Tracked.self, lifetime: .scoped) { [tracker] (_, number: Int) in
            isCreating.raise()
            #expect(isOver.wait())
            return tracker.make(number)
        } onDispose: { [ends] service in
            ends.withLock { $0.append(service.number) }
        }
        let child = container.makeChild()
        let caller = RealThread {
            let error = failure { () throws(DependencyError) in try child.require(Tracked.self, arguments: 7) }
            #expect(error?.reason == .shutDown)
        }
        #expect(isCreating.wait())
        #expect(throws: Never.self) { try child.shutdownWithoutAwaitingHooks() }
        isOver.raise()
        caller.join()
        #expect(ends.current == [7])
        expectGone(tracker)
    }

    @Test func removalEndsTheInstancesOfTheOwnerAndNotThoseOfAChild() {
        let token = Locked<ServiceRegistration<Tracked>?>(register())
        let child = container.makeChild()
        let own = child.resolve(Tracked.self, arguments: 1)
        for number in [1, 2] { _ = container.resolve(Tracked.self, arguments: number) }
        token.take().map(container.remove)
        #expect(ends.current == [2, 1])
        #expect(tracker.live == 1 && own.isIntact)
        #expect(child.optionalResolve(Tracked.self, arguments: 1) == nil)
        child.removeAll()
        #expect(ends.current == [2, 1, 1])
    }

    @Test func registrationsHaveSeparateInstances() {
        register()
        let child = container.makeChild()
        let first = child.resolve(Tracked.self, arguments: 1)
        let above = container.register(Tracked.self, lifetime: .scoped) { [tracker] (_, number: Int) in
            tracker.make(-number)
        }
        #expect(child.resolve(Tracked.self, arguments: 1).number == -1)
        container.remove(above)
        #expect(child.resolve(Tracked.self, arguments: 1) === first)
    }

    @Test func captiveDependencyOfASingletonIsRefused() async {
        register()
        container.register(Int.self) { container in
            try container.require(Tracked.self, arguments: 1).number
        }
        container.register(String.self) { container async throws in
            "\(try await container.asyncResolve(Tracked.self, arguments: 1).number)"
        }
        let error = failure { () throws(DependencyError) in try container.require(Int.self) }
        #expect(error?.reason == .captive)
        #expect(error?.chain.last == "HopoateTests.Tracked(Swift.Int)")
        let other = await failure { () async throws(DependencyError) in try await container.asyncResolve(String.self) }
        #expect(other?.reason == .captive)
        #expect(tracker.made == 0)
    }

    @Test func manyChildrenWithManyValuesLeaveNothing() {
        container.register(Tracked.self, lifetime: .scoped) { [tracker] (_, number: Int) in tracker.make(number) }
        runThreads(4) { [container] _ in
            for _ in 0..<rounds(500) {
                let child = container.makeChild()
                for number in 0..<4 { check(child.resolve(Tracked.self, arguments: number).number == number) }
            }
        }
        expectGone(tracker)
    }
}
