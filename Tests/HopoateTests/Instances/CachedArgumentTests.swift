import Foundation
import Hopoate
import Testing

/// `Lifetime.cached` with arguments: one instance per value until the scope is reset.
@Suite(.mayBlock) struct CachedArgumentTests {
    let container = DependencyContainer()
    let scope = DependencyScope("session")
    let tracker = Tracker()

    @Test func resetEndsTheInstancesOfAllValues() {
        let ends = Locked<[Int]>([])
        container.register(Tracked.self, lifetime: .cached(in: scope)) { [tracker] (_, number: Int) in
            tracker.make(number)
        } onDispose: { service in
            ends.withLock { $0.append(service.number) }
        }
        for round in 1...3 {
            for number in [1, 2, 3, 2] { _ = container.makeChild().resolve(Tracked.self, arguments: number) }
            #expect(tracker.made == 3 * round && tracker.live == 3)
            scope.reset()
            #expect(tracker.live == 0)
            #expect(ends.current == (0..<round).flatMap { _ in [3, 2, 1] })
        }
        container.removeAll()
        #expect(ends.current.count == 9)
    }

    @Test func resetDuringACreationConcernsItsValueOnly() {
        let (isCreating, isReset, ends) = (Signal(), Signal(), Locked<[Int]>([]))
        container.register(Tracked.self, lifetime: .cached(in: scope)) { [tracker] (_, text: String) in
            let service = tracker.make(tracker.made)
            if service.number == 0 {
                isCreating.raise()
                #expect(isReset.wait())
            }
            return service
        } onDispose: { service in
            ends.withLock { $0.append(service.number) }
        }
        let early = RealThread { [container] in
            #expect(container.resolve(Tracked.self, arguments: "slow").number == 0)
        }
        #expect(isCreating.wait())
        scope.reset()
        let other = container.resolve(Tracked.self, arguments: "fast")
        isReset.raise()
        early.join()
        #expect(ends.current == [0])
        #expect(container.resolve(Tracked.self, arguments: "slow").number == 2)
        #expect(container.resolve(Tracked.self, arguments: "fast") === other)
        container.removeAll()
        #expect(ends.current == [0, 2, 1])
    }

    @Test func valuesAreForgottenAfterAReset() {
        let arguments = Tracker()
        container.register(Tracked.self, lifetime: .cached(in: scope)) { [tracker] (_, key: CountedArgument) in
            tracker.make(key.number)
        }
        for number in 0..<500 {
            _ = container.resolve(Tracked.self, arguments: CountedArgument(number, arguments))
        }
        scope.reset()
        for number in 500..<1000 {
            _ = container.resolve(Tracked.self, arguments: CountedArgument(number, arguments))
        }
        #expect(tracker.live == 500)
        #expect(arguments.live < 516)
        // The scope has forgotten the storages too.
        scope.reset()
        #expect(tracker.live == 0)
    }

    @Test func resolvesAndResetsMayRace() {
        container.register(Tracked.self, lifetime: .cached(in: scope)) { [tracker] (_, _: Int) in
            tracker.make(tracker.made)
        }
        let resets = rounds(1000)
        runThreads(4) { [container, scope, tracker] index in
            for round in 0..<resets {
                if index == 0 {
                    let made = tracker.made
                    scope.reset()
                    check(container.resolve(Tracked.self, arguments: round % 3).number >= made)
                } else {
                    // New values, so that older ones are checked meanwhile.
                    check(container.resolve(Tracked.self, arguments: round % 50).isIntact)
                }
            }
        }
        scope.reset()
        expectGone(tracker)
    }

    @Test func hookMayResetItsScopeAndResolveOtherValues() {
        let ends = Locked(0)
        container.register(Tracked.self, lifetime: .cached(in: scope)) { [tracker] (_, number: Int) in
            tracker.make(number)
        } onDispose: { [scope, container] service in
            ends.withLock { $0 += 1 }
            if service.number < 3 { _ = container.resolve(Tracked.self, arguments: service.number + 1) }
            scope.reset()
        }
        _ = container.resolve(Tracked.self, arguments: 1)
        scope.reset()
        #expect(ends.current == 3 && tracker.live == 0)
        container.removeAll()
    }
}
