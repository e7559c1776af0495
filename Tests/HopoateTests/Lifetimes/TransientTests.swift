import Hopoate
import Testing

/// `Lifetime.transient`: one instance per resolve call.
@Suite(.mayBlock) struct TransientTests {
    let container = DependencyContainer()
    let tracker = Tracker()

    @Test(arguments: threadCounts)
    func everyResolveGetsANewInstance(threads: Int) {
        container.register(Tracked.self, lifetime: .transient) { [tracker] _ in tracker.make() }
        let services = race(threads) { [container] _ in
            [container.resolve(Tracked.self), container.makeChild().resolve(Tracked.self)]
        }
        #expect(Tracker.count(services.flatMap { $0 }) == 2 * threads)
        #expect(tracker.made == 2 * threads)
    }

    @Test func factoryGetsTheResolvingContainer() {
        container.register(ObjectIdentifier.self, lifetime: .transient) { identity(of: $0) }
        let child = container.makeChild()
        let grandchild = child.makeChild()
        for asked in [container, child, grandchild] {
            #expect(asked.resolve(ObjectIdentifier.self) == ObjectIdentifier(asked))
            #expect(asked.resolveAll(ObjectIdentifier.self) == [ObjectIdentifier(asked)])
        }
    }

    @Test func throwingFactoryIsRetried() {
        let attempts = Locked(0)
        container.register(Int.self, lifetime: .transient) { _ in
            try attempts.withLock { attempts in
                attempts += 1
                if attempts % 2 == 1 { throw Refusal.first }
                return attempts
            }
        }
        for number in [2, 4, 6] {
            let error = failure { () throws(DependencyError) in try container.require(Int.self) }
            #expect(error?.reason == .creationFailed && error?.underlying as? Refusal == .first)
            #expect(error?.chain == ["Swift.Int"])
            #expect(container.resolve(Int.self) == number)
        }
    }

    @Test func nestedFailureIsReportedWithTheDependencyChain() {
        container.register(Int.self, lifetime: .transient) { container in try container.require(String.self).count }
        container.register(String.self, lifetime: .transient) { _ in throw Refusal.first }
        container.register(Double.self) { container in Double(try container.require(Int.self)) }
        let error = failure { () throws(DependencyError) in try container.require(Double.self) }
        #expect(error?.reason == .creationFailed)
        #expect(error?.service == String.self)
        #expect(error?.chain == ["Swift.Double", "Swift.Int", "Swift.String"])
        #expect(error?.description.contains("Swift.Double → Swift.Int → Swift.String") == true)
    }

    @Test func completionRunsForEachInstance() {
        let completed = Locked<[Int]>([])
        container.register(Tracked.self, lifetime: .transient) { [tracker] _ in
            tracker.make(tracker.made)
        } afterCreation: { service, _ in
            completed.withLock { $0.append(service.number) }
        }
        for _ in 0..<3 { _ = container.resolve(Tracked.self) }
        #expect(completed.current == [0, 1, 2])
    }

    @Test func transientInstancesAreNotRetained() {
        container.register(Tracked.self, lifetime: .transient) { [tracker] _ in tracker.make() }
        for _ in 0..<10 { _ = container.resolve(Tracked.self) }
        #expect(tracker.live == 0)
    }
}
