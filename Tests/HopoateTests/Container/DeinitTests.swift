import Hopoate
import Testing

/// Deinitializers of services may use every function of a container.
@Suite(.mayBlock) struct DeinitTests {
    let container = DependencyContainer()
    let tracker = Tracker()

    /// Uses a container in every way, from inside a deinitializer.
    private func useEverything(_ container: DependencyContainer, _ log: Locked<[String]>) {
        container.register("first", for: String.self)
        let token = container.register("second", for: String.self)
        let found = [container.resolve(String.self), container.withService(String.self) { $0 }]
        container.remove(token)
        let uncovered = container.resolve(String.self)
        container.register("third", for: String.self, replacing: true)
        log.withLock { $0 += found + [uncovered, container.resolve(String.self)] }
        container.removeAll()
    }

    private let everything = ["second", "second", "first", "third"]

    @Test func deinitOfARemovedServiceMayUseTheContainer() {
        let log = Locked<[String]>([])
        var token: ServiceRegistration? = register(log)
        token.map(container.remove)
        token = nil
        expectGone(tracker)
        #expect(log.current == everything)
    }

    @Test func deinitOfAnOverwrittenServiceMayUseTheContainer() {
        let log = Locked<[String]>([])
        for _ in 0..<3 { _ = register(log) }
        container.hopoate1.overwriteExistingRegistrations(service: Tracked.self, cacheService: false) { tracker.make() }
        expectGone(tracker)
        #expect(log.current == everything + everything + everything)
    }

    @Test func deinitOfAServiceThatRemoveAllDropsMayUseTheContainer() {
        let log = Locked<[String]>([])
        for _ in 0..<3 { _ = register(log) }
        container.removeAll()
        expectGone(tracker)
        #expect(log.current == everything + everything + everything)
    }

    @Test func deinitOfAServiceWhoseContainerIsDroppedMayUseAnotherOne() {
        let log = Locked<[String]>([])
        do {
            let dropped = DependencyContainer()
            for _ in 0..<3 {
                dropped.register(tracker.make { useEverything(container, log) }, for: Tracked.self)
            }
        }
        expectGone(tracker)
        #expect(log.current == everything + everything + everything)
    }

    @Test func deinitAtTheEndOfABorrowMayUseTheContainer() {
        let log = Locked<[String]>([])
        _ = register(log)
        container.withService(Tracked.self) { service in
            container.removeAll()
            #expect(service.isIntact)
            #expect(log.current == [])
        }
        expectGone(tracker)
        #expect(log.current == everything)
    }

    @Test func deinitMayRemoveAnotherRegistrationOfItsType() {
        // A chain: each deinitializer removes the registration before it.
        var last: ServiceRegistration<Tracked>?
        for number in 0..<100 {
            let before = Locked(last)
            last = container.register(
                tracker.make(number) { [container] in before.take().map(container.remove) }, for: Tracked.self)
        }
        last.map(container.remove)
        last = nil
        expectGone(tracker)
        #expect(!container.canResolve(Tracked.self))
    }

    @Test func deinitMayDropAnotherContainer() {
        // Containers nested as services in containers.
        var nested = DependencyContainer()
        for number in 0..<50 {
            let outer = DependencyContainer()
            let inner = Locked<DependencyContainer?>(nested)
            outer.register(tracker.make(number) { _ = inner.take() }, for: Tracked.self)
            nested = outer
        }
        #expect(tracker.live == 50)
        nested = DependencyContainer()
        expectGone(tracker)
    }

    @Test func deinitOfAFactorysCaptureMayUseTheContainer() {
        let log = Locked<[String]>([])
        func register() {
            let context = tracker.make { useEverything(container, log) }
            container.hopoate1.register(service: Int.self, cacheService: false) { context.number }
        }
        register()
        #expect(container.resolve(Int.self) == 0)
        container.register(1, for: Int.self, replacing: true)
        expectGone(tracker)
        #expect(log.current == everything)
    }

    private func register(_ log: Locked<[String]>) -> ServiceRegistration<Tracked> {
        // Unowned, because the service must not retain the container. The container outlives it here.
        container.register(tracker.make { [unowned container] in useEverything(container, log) }, for: Tracked.self)
    }
}
