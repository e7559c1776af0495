import Hopoate
import Testing

private protocol Shape: Sendable {}
private final class Circle: Shape {}
private struct Point: Shape {}

/// `Lifetime.weak` with arguments: one instance per value, as long as a caller holds it.
@Suite(.mayBlock) struct WeakArgumentTests {
    let container = DependencyContainer()
    let tracker = Tracker()
    let arguments = Tracker()

    private func resolve(_ number: Int) -> Tracked {
        container.resolve(Tracked.self, arguments: CountedArgument(number, arguments))
    }

    init() {
        container.register(Tracked.self, lifetime: .weak) { [tracker] (_, key: CountedArgument) in
            tracker.make(key.number)
        }
    }

    @Test func instanceIsSharedWhileItIsHeld() {
        var one: Tracked? = resolve(1)
        let two = resolve(2)
        #expect(resolve(1) === one && resolve(2) === two)
        #expect(
            container.makeChild().resolve(Tracked.self, arguments: CountedArgument(1, arguments)) === one)
        one = nil
        #expect(tracker.live == 1)
        #expect(resolve(1).number == 1)
        #expect(resolve(2) === two)
        #expect(tracker.made == 3)
    }

    @Test func valuesOfReleasedInstancesAreForgotten() {
        var most = 0
        for number in 0..<5000 {
            #expect(resolve(number).number == number)
            most = max(most, arguments.live)
        }
        #expect(tracker.live == 0)
        #expect(most < 16)
    }

    @Test func valuesOfHeldInstancesAreNotForgotten() {
        let held = (0..<100).map(resolve)
        for number in 100..<2000 { _ = resolve(number) }
        // At most about as many other values as there are instances.
        #expect(arguments.live < 3 * held.count)
        for (number, service) in held.enumerated() { #expect(resolve(number) === service) }
        #expect(tracker.made == 2000)
    }

    @Test func valuesOfManyInstancesAreForgottenLater() {
        do {
            let held = (0..<1000).map(resolve)
            #expect(arguments.live == held.count)
        }
        for number in 1000..<2000 { _ = resolve(number) }
        #expect(arguments.live < 16)
    }

    @Test(arguments: threadCounts)
    func checksAndCreationsMayRace(threads: Int) {
        let next = Locked(1000)
        runThreads(threads) { [self] _ in
            for round in 0..<rounds(3000) {
                let service = resolve(round % 4)
                // The service is held, so all others get the same instance.
                check(service.isIntact && resolve(round % 4) === service)
                // Each new value causes checks of older ones.
                _ = resolve(
                    next.withLock { next in
                        next += 1
                        return next
                    })
            }
        }
        expectGone(tracker)
        #expect(arguments.live < 200)
    }

    @Test func valueUnderAProtocolIsAnErrorForItsArgumentsOnly() {
        container.register((any Shape).self, lifetime: .weak) { (_, isObject: Bool) -> any Shape in
            isObject ? Circle() : Point()
        }
        let error = failure { () throws(DependencyError) in
            try container.require((any Shape).self, arguments: false)
        }
        #expect(error?.reason == .invalid)
        #expect(error?.description.contains("Point") == true)
        let circle = container.resolve((any Shape).self, arguments: true)
        #expect(container.resolve((any Shape).self, arguments: true) as AnyObject === circle as AnyObject)
    }
}
