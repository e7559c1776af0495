import Foundation
import Hopoate
import Testing

// A custom lifetime with public API only: the instance expires after a time and is then created again.

extension Lifetime {
    static func expiring(after seconds: TimeInterval, by clock: TestClock) -> Lifetime {
        Lifetime("expiring after \(seconds) s", policy: Expiring(seconds: seconds, clock: clock))
    }
}

private struct Expiring: LifetimePolicy {
    let seconds: TimeInterval
    let clock: TestClock

    func makeStorage<Instance>(for type: Instance.Type) -> InstanceStorage<Instance> {
        ExpiringStorage(seconds, clock)
    }
}

private final class ExpiringStorage<Instance>: InstanceStorage<Instance>, @unchecked Sendable {
    // Unchecked like its base class. Sound, because the deadline is under a lock.
    private let deadline = Locked(-TimeInterval.infinity)
    private let seconds: TimeInterval
    private let clock: TestClock

    init(_ seconds: TimeInterval, _ clock: TestClock) {
        self.seconds = seconds
        self.clock = clock
    }

    override func load() -> Instance? { clock.time < deadline.current ? super.load() : nil }

    override func store(_ instance: Instance) {
        super.store(instance)
        deadline.withLock { $0 = clock.time + seconds }
    }
}

/// A policy that keeps the plain storages it has made, and stores instances in them itself.
private final class Refreshable: LifetimePolicy {
    let storages = Locked<[InstanceStorage<Tracked>]>([])
    var sharing: Lifetime.Sharing { .container }

    func makeStorage<Instance>(for type: Instance.Type) -> InstanceStorage<Instance> {
        let storage = InstanceStorage<Instance>()
        if let storage = storage as? InstanceStorage<Tracked> { storages.withLock { $0.append(storage) } }
        return storage
    }
}

final class TestClock: Sendable {
    private let now = Locked<TimeInterval>(0)
    var time: TimeInterval { now.current }
    func advance(by seconds: TimeInterval) { now.withLock { $0 += seconds } }
}

/// Custom lifetimes.
@Suite(.mayBlock) struct CustomLifetimeTests {
    let container = DependencyContainer()
    let clock = TestClock()
    let tracker = Tracker()

    @Test func expiredInstanceIsCreatedAgain() {
        container.register(Tracked.self, lifetime: .expiring(after: 60, by: clock)) { [tracker] _ in
            tracker.make(tracker.made)
        }
        for generation in 0..<3 {
            #expect(container.resolve(Tracked.self).number == generation)
            clock.advance(by: 59)
            #expect(container.resolve(Tracked.self).number == generation)
            clock.advance(by: 1)
        }
        // The new instance replaces the previous one.
        _ = container.resolve(Tracked.self)
        #expect(tracker.made == 4 && tracker.live == 1)
    }

    @Test func policyMayReplaceTheInstanceOfAChild() {
        let policy = Refreshable()
        container.register(Tracked.self, lifetime: Lifetime("refreshable", policy: policy)) { [tracker] _ in
            tracker.make(1)
        }
        let child = container.makeChild()
        #expect(child.resolve(Tracked.self).number == 1)
        for number in 2...4 {
            // The storage of the owner is empty: only the child has resolved.
            for storage in policy.storages.current where storage.load() != nil { storage.store(tracker.make(number)) }
            #expect(child.resolve(Tracked.self).number == number)
        }
    }

    @Test(arguments: threadCounts)
    func factoryRunsOncePerPeriod(threads: Int) {
        for _ in 0..<rounds(50) {
            let (container, clock, tracker) = (DependencyContainer(), TestClock(), Tracker())
            container.register(Tracked.self, lifetime: .expiring(after: 1, by: clock)) { _ in tracker.make() }
            for generation in 1...3 {
                let services = race(threads) { _ in container.resolve(Tracked.self) }
                check(Tracker.count(services) == 1 && tracker.made == generation)
                clock.advance(by: 1)
            }
        }
    }

    @Test func customLifetimeSupportsNamesRetriesAsyncAndHooks() async throws {
        let ends = Locked<[Int]>([])
        let attempts = Locked(0)
        container.register(Tracked.self, named: "it", lifetime: .expiring(after: 60, by: clock)) {
            [tracker] _ async throws in
            try attempts.withLock { attempts in
                attempts += 1
                if attempts == 1 { throw Refusal.first }
            }
            return tracker.make(tracker.made)
        } onDispose: { service in
            ends.withLock { $0.append(service.number) }
        }
        #expect(
            await failure { () async throws(DependencyError) in
                try await container.asyncResolve(Tracked.self, named: "it")
            } != nil)
        _ = try await container.asyncResolve(Tracked.self, named: "it")
        #expect(container.resolve(Tracked.self, named: "it").number == 0)
        try await container.shutdown()
        #expect(ends.current == [0])
        await expectGone(tracker)
    }

    @Test func replacedInstanceIsDisposedOf() {
        let ends = Locked<[Int]>([])
        container.register(Tracked.self, lifetime: .expiring(after: 60, by: clock)) { [tracker] _ in
            tracker.make(tracker.made)
        } onDispose: { service in
            ends.withLock { $0.append(service.number) }
        }
        for generation in 0..<5 {
            _ = container.resolve(Tracked.self)
            #expect(ends.current == Array(0..<generation))
            #expect(tracker.live == 1)
            clock.advance(by: 60)
        }
        container.removeAll()
        #expect(ends.current == [0, 1, 2, 3, 4])
    }

    @Test func expiredInstancesOfOtherArgumentsAreDisposedOfAndForgotten() {
        let ends = Locked<[Int]>([])
        let arguments = Tracker()
        container.register(Tracked.self, lifetime: .expiring(after: 60, by: clock)) {
            [tracker] (_, key: CountedArgument) in
            tracker.make(key.number)
        } onDispose: { service in
            ends.withLock { $0.append(service.number) }
        }
        func resolve(_ number: Int) -> Tracked {
            container.resolve(Tracked.self, arguments: CountedArgument(number, arguments))
        }
        for number in 0..<50 { #expect(resolve(number).number == number) }
        #expect(tracker.live == 50 && ends.current.isEmpty)
        clock.advance(by: 59)
        _ = resolve(0)
        #expect(tracker.made == 50)
        clock.advance(by: 1)
        // The same value: the new instance replaces the expired one.
        _ = resolve(0)
        #expect(ends.current == [0])
        // Other values.
        for number in 50..<100 { _ = resolve(number) }
        #expect(Set(ends.current) == Set(0..<50) && ends.current.count == 50)
        #expect(tracker.live == 51 && arguments.live == 51)
        container.removeAll()
        #expect(ends.current.count == 101 && Set(ends.current) == Set(0..<100))
    }

    @Test func clearedStorageDisposesOfItsOwnArgumentsOnly() {
        let policy = Refreshable()
        let ends = Locked<[Int]>([])
        container.register(Tracked.self, lifetime: Lifetime("refreshable", policy: policy)) {
            [tracker] (_, number: Int) in
            tracker.make(number)
        } onDispose: { service in
            ends.withLock { $0.append(service.number) }
        }
        for number in 1...3 { #expect(container.resolve(Tracked.self, arguments: number).number == number) }
        for storage in policy.storages.current where storage.load()?.number == 2 { storage.clear() }
        #expect(ends.current == [2] && tracker.live == 2)
        #expect(container.resolve(Tracked.self, arguments: 2).number == 2)
        #expect(tracker.made == 4)
        container.removeAll()
        #expect(ends.current == [2, 2, 3, 1])
    }

    @Test func policyChoosesItsSharing() {
        struct Each: LifetimePolicy {
            let sharing: Lifetime.Sharing
            func makeStorage<Instance>(for type: Instance.Type) -> InstanceStorage<Instance> { InstanceStorage() }
        }
        func lifetime(_ sharing: Lifetime.Sharing) -> Lifetime { Lifetime("own", policy: Each(sharing: sharing)) }
        container.register(Tracked.self, named: "nobody", lifetime: lifetime(.nobody)) { [tracker] _ in tracker.make() }
        container.register(Tracked.self, named: "container", lifetime: lifetime(.container)) { [tracker] _ in
            tracker.make()
        }
        container.register(Tracked.self, named: "graph", lifetime: lifetime(.graph)) { [tracker] _ in tracker.make() }
        container.register(Tracked.self, named: "registration", lifetime: lifetime(.registration)) { [tracker] _ in
            tracker.make()
        }
        container.register(Tracked.self, lifetime: lifetime(.arguments)) { [tracker] (_, number: Int) in
            tracker.make(number)
        }
        let named: [(DependencyName, Lifetime.Sharing)] = [
            ("nobody", .nobody), ("container", .container), ("graph", .graph), ("registration", .registration),
        ]
        for (name, sharing) in named {
            container.register(Tracked.self, named: name, lifetime: lifetime(sharing)) { [tracker] (_, number: Int) in
                tracker.make(number)
            }
        }
        let child = container.makeChild()
        func isShared(_ name: DependencyName, _ first: Int, _ second: Int, by other: DependencyContainer) -> Bool {
            container.resolve(Tracked.self, named: name, arguments: first)
                === other.resolve(Tracked.self, named: name, arguments: second)
        }
        #expect(!isShared("nobody", 1, 1, by: container))
        #expect(isShared("container", 1, 1, by: container))
        #expect(!isShared("container", 1, 2, by: container))
        #expect(!isShared("container", 1, 1, by: child))
        #expect(!isShared("graph", 1, 1, by: container))
        #expect(isShared("registration", 1, 1, by: child))
        #expect(!isShared("registration", 1, 2, by: child))
        func isShared(_ name: DependencyName, by other: DependencyContainer) -> Bool {
            container.resolve(Tracked.self, named: name) === other.resolve(Tracked.self, named: name)
        }
        #expect(!isShared("nobody", by: container))
        #expect(isShared("container", by: container))
        #expect(!isShared("container", by: child))
        #expect(!isShared("graph", by: container))
        #expect(isShared("registration", by: child))
        let one = container.resolve(Tracked.self, arguments: 1)
        #expect(one === container.resolve(Tracked.self, arguments: 1))
        #expect(one !== container.resolve(Tracked.self, arguments: 2))
        #expect(lifetime(.nobody).description == "own")
    }
}
