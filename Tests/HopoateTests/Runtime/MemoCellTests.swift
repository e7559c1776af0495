import Hopoate
import Testing

/// Property wrappers that several threads use.
@Suite(.mayBlock) struct MemoCellTests {
    @Test(arguments: threadCounts) func firstAccessGivesAllThreadsTheSameInstance(threads: Int) {
        race(threads) { container, tracker in
            container.hopoate1.register(service: Tracked.self, cacheService: false) { tracker.make() }
            let count = rounds(500)
            let wrappers = (0..<count).map { _ in Dependency<Tracked>(container: container) }
            let optionals = (0..<count).map { _ in OptionalDependency<Tracked>(container: container) }
            let first = (0..<count * 2).map { _ in Locked<Tracked?>(nil) }
            @Sendable func agree(_ tracked: Tracked?, _ slot: Locked<Tracked?>) {
                let expected = slot.withLock { value -> Tracked? in
                    value = value ?? tracked
                    return value
                }
                check(tracked != nil && tracked === expected)
            }
            return { _ in
                for round in 0..<count {
                    agree(wrappers[round].wrappedValue, first[round])
                    agree(optionals[round].wrappedValue, first[count + round])
                }
            }
        }
    }

    @Test(arguments: threadCounts) func firstAccessThroughAHandleGivesAllThreadsTheSameInstance(threads: Int) {
        race(threads) { container, tracker in
            container.register(Tracked.self, lifetime: .transient) { _ in tracker.make() }
            container.register(Tracked.self) { (_, number: Int) in tracker.make(number) }
            let count = rounds(500)
            let handles = (0..<count).map { round in
                round.isMultiple(of: 2)
                    ? LazyDependency<Tracked>(container: container)
                    : LazyDependency<Tracked>(arguments: round, container: container)
            }
            let first = (0..<count).map { _ in Locked<Tracked?>(nil) }
            return { index in
                // A handle does not keep its container alive.
                defer { withExtendedLifetime(container) {} }
                for round in 0..<count {
                    // Both ways to access a handle race with each other.
                    let handle = handles[round]
                    let tracked = (round + index).isMultiple(of: 3) ? handle.object : handle.wrappedValue
                    let expected = first[round].withLock { value -> Tracked? in
                        value = value ?? tracked
                        return value
                    }
                    check(tracked != nil && tracked === expected)
                }
            }
        }
    }

    @Test(arguments: threadCounts) func readersSeeWholeValuesWhileOthersAssign(threads: Int) {
        struct Pair: Sendable {
            let left: Tracked
            let right: Tracked
            let text: String
        }
        race(threads) { container, tracker in
            @Sendable func newPair(_ number: Int) -> Pair {
                Pair(left: tracker.make(number), right: tracker.make(number), text: "number \(number), written in full")
            }
            let wrapper = Dependency<Pair>(container: container)
            wrapper.wrappedValue = newPair(0)
            return { index in
                for round in 0..<rounds(4000) {
                    if index.isMultiple(of: 2) { wrapper.wrappedValue = newPair(round) }
                    let pair = wrapper.wrappedValue
                    check(pair.left.isIntact && pair.right.isIntact)
                    check(pair.left.number == pair.right.number)
                    check(pair.text == "number \(pair.left.number), written in full")
                }
            }
        }
    }

    @Test(arguments: threadCounts) func optionalWrapperIsAssignedAndClearedUnderLoad(threads: Int) {
        race(threads) { container, tracker in
            container.hopoate1.register(service: Tracked.self, cacheService: false) { tracker.make(-1) }
            let wrapper = OptionalDependency<Tracked>(container: container)
            return { index in
                for round in 0..<rounds(4000) {
                    switch (round + index) % 3 {
                    case 0: wrapper.wrappedValue = tracker.make(round)
                    case 1: wrapper.wrappedValue = nil
                    default: break
                    }
                    check(wrapper.wrappedValue?.isIntact != false)
                }
            }
        }
    }

    @Test(arguments: threadCounts) func firstAccessAndAssignmentAgreeOnOneValue(threads: Int) {
        race(threads) { container, tracker in
            container.hopoate1.register(service: Tracked.self, cacheService: false) { tracker.make(-1) }
            let wrappers = (0..<rounds(500)).map { _ in Dependency<Tracked>(container: container) }
            return { index in
                for wrapper in wrappers {
                    if index == 0 {
                        wrapper.wrappedValue = tracker.make(1)
                        check(wrapper.wrappedValue.number == 1)
                    } else {
                        check(wrapper.wrappedValue.isIntact)
                    }
                }
                if index == 0 { check(wrappers.allSatisfy { $0.wrappedValue.number == 1 }) }
            }
        }
    }

    @Test(arguments: threadCounts) func valuesWhoseDeinitUsesTheWrapperAreReplacedUnderLoad(threads: Int) {
        let tracker = Tracker()
        let container = DependencyContainer()
        let wrapper = OptionalDependency<Tracked>(container: container)
        runThreads(threads) { _ in
            for round in 0..<rounds(1000) {
                wrapper.wrappedValue = tracker.make(round) { check(wrapper.wrappedValue?.isIntact != false) }
            }
        }
        // The closure captures the wrapper, which retains the closure.
        wrapper.wrappedValue = nil
        expectGone(tracker)
    }
}
