import Dispatch
import Foundation
import Hopoate
import Testing

/// `Lifetime.singleton`: one instance, created on first use.
@Suite(.mayBlock) struct SingletonTests {
    let container = DependencyContainer()
    let tracker = Tracker()

    @Test(arguments: threadCounts)
    func concurrentFirstResolvesRunTheFactoryOnce(threads: Int) {
        for _ in 0..<rounds(300) {
            let tracker = Tracker()
            let container = DependencyContainer()
            container.register(Tracked.self) { _ in tracker.make() }
            let services = race(threads) { _ in container.resolve(Tracked.self) }
            check(Tracker.count(services) == 1 && tracker.made == 1)
        }
    }

    @Test(arguments: threadCounts)
    func allWaysToResolveFindOneInstance(threads: Int) {
        for _ in 0..<rounds(50) {
            let tracker = Tracker()
            let container = DependencyContainer()
            container.register(Tracked.self) { _ in tracker.make() }
            let services = race(threads) { index in
                switch index % 6 {
                case 0: container.resolve(Tracked.self)
                case 1: container.resolveAll(Tracked.self)[0]
                case 2: container.withService(Tracked.self) { $0 }
                case 3: container.makeChild().resolve(Tracked.self)
                case 4: Dependency<Tracked>(container: container).wrappedValue
                default: container.withResolved(Tracked.self) { $0 }
                }
            }
            check(Tracker.count(services) == 1 && tracker.made == 1)
        }
    }

    @Test func instanceIsCreatedOnFirstUse() {
        container.register(Tracked.self) { [tracker] _ in tracker.make() }
        #expect(container.canResolve(Tracked.self))
        #expect(container.makeChild().canResolve(Tracked.self))
        #expect(tracker.made == 0)
        _ = container.resolve(Tracked.self)
        #expect(tracker.made == 1)
    }

    @Test func throwingFactoryIsRetried() {
        let attempts = Locked(0)
        container.register(Tracked.self) { [tracker] _ in
            try attempts.withLock { attempts in
                attempts += 1
                if attempts < 3 { throw Refusal.first }
            }
            return tracker.make()
        }
        for _ in 0..<2 {
            let error = failure { () throws(DependencyError) in try container.require(Tracked.self) }
            #expect(error?.reason == .creationFailed)
            #expect(error?.underlying as? Refusal == .first)
            #expect(error?.service == Tracked.self)
            #expect(error?.description.contains("HopoateTests.Tracked") == true)
            #expect(tracker.made == 0)
        }
        #expect(container.resolve(Tracked.self) === container.resolve(Tracked.self))
        #expect(attempts.current == 3)
    }

    @Test func waitersGetTheFailureAndNothingIsCached() {
        let failures = Locked(0)
        // Whether a thread is waiting when the factory throws depends on timing. The test repeats until one is.
        for _ in 0..<200 where failures.current == 0 {
            let container = DependencyContainer()
            let (attempts, asking) = (Locked(0), Locked(0))
            let tracker = Tracker()
            container.register(Tracked.self) { _ in
                let attempt = attempts.withLock { attempts in
                    attempts += 1
                    return attempts
                }
                if attempt > 1 { return tracker.make() }
                while asking.current < 3 { Thread.sleep(forTimeInterval: 0.0001) }
                Thread.sleep(forTimeInterval: 0.01)
                throw Refusal.first
            }
            runThreads(3) { _ in
                asking.withLock { $0 += 1 }
                if let error = failure({ () throws(DependencyError) in try container.require(Tracked.self) }) {
                    check(error.reason == .creationFailed && error.underlying as? Refusal == .first)
                    failures.withLock { $0 += 1 }
                }
            }
            // One thread ran the factory. The others waited or came later.
            failures.withLock { $0 -= 1 }
            #expect(container.optionalResolve(Tracked.self) != nil)
            #expect(attempts.current == 2 && tracker.made == 1)
        }
        #expect(failures.current > 0)
    }

    @Test func slowFactoryBlocksNoOtherService() {
        let (isCreating, isDone) = (Signal(), Signal())
        container.register(Tracked.self) { [tracker] _ in
            isCreating.raise()
            #expect(isDone.wait())
            return tracker.make()
        }
        container.register(String.self) { _ in "other" }
        let slow = RealThread { [container] in _ = container.resolve(Tracked.self) }
        #expect(isCreating.wait())
        #expect(container.resolve(String.self) == "other")
        let token = container.register(Int.self) { container in container.resolve(String.self).count }
        #expect(container.resolve(Int.self) == 5)
        container.remove(token)
        #expect(container.canResolve(Tracked.self))
        #expect(container.makeChild().resolve(String.self) == "other")
        isDone.raise()
        slow.join()
    }

    @Test(arguments: [1, 2, 4])
    func factoryMayHopToAnotherThread(threads: Int) {
        for _ in 0..<rounds(50) {
            let container = DependencyContainer()
            container.register(Int.self) { container in
                let result = Locked(0)
                let thread = RealThread { result.withLock { $0 = container.resolve(String.self).count } }
                thread.join()
                return result.current
            }
            container.register(Double.self) { container in
                let semaphore = DispatchSemaphore(value: 0)
                let result = Locked(0.0)
                DispatchQueue.global().async {
                    result.withLock { $0 = Double(container.resolve(Int.self)) }
                    semaphore.signal()
                }
                semaphore.wait()
                return result.current
            }
            container.register(String.self) { container in
                DispatchQueue(label: "hop").sync { container.resolve(Character.self) }.description
            }
            container.register(Character.self) { _ in "c" }
            let found = race(threads) { index in
                index % 2 == 0 ? container.resolve(Double.self) : Double(container.resolve(Int.self))
            }
            check(found.allSatisfy { $0 == 1 })
        }
    }

    @Test func singletonOfAParentIsCreatedWithTheParent() {
        container.register("ours", for: Substring.self)
        container.register(String.self) { container in String(container.resolve(Substring.self)) }
        container.register(ObjectIdentifier.self) { identity(of: $0) }
        let child = container.makeChild()
        child.register("theirs", for: Substring.self)
        #expect(child.makeChild().resolve(String.self) == "ours")
        #expect(child.resolve(ObjectIdentifier.self) == ObjectIdentifier(container))
    }

    @Test func shadowedRegistrationKeepsItsInstance() {
        container.register(Tracked.self) { [tracker] _ in tracker.make(1) }
        let first = container.resolve(Tracked.self)
        let token = container.register(Tracked.self) { [tracker] _ in tracker.make(2) }
        #expect(container.resolve(Tracked.self).number == 2)
        container.remove(token)
        #expect(container.resolve(Tracked.self) === first)
        #expect(tracker.made == 2)
    }

    @Test func registrationRemovedDuringCreationStillServesItsCaller() {
        let (isCreating, isRemoved) = (Signal(), Signal())
        let token = container.register(Tracked.self) { [tracker] _ in
            isCreating.raise()
            #expect(isRemoved.wait())
            return tracker.make(7)
        }
        let asker = RealThread { [container] in #expect(container.resolve(Tracked.self).number == 7) }
        #expect(isCreating.wait())
        container.remove(token)
        #expect(!container.canResolve(Tracked.self))
        isRemoved.raise()
        asker.join()
    }

    @Test func nothingOutlivesTheContainer() {
        do {
            let container = DependencyContainer()
            let context = tracker.make()
            container.register(Tracked.self) { [tracker] _ in tracker.make(context.number) }
            container.register(Tracked.self, named: "never asked for") { _ in context }
            container.register(Int.self) { container in container.resolve(Tracked.self).number }
            #expect(container.resolve(Int.self) == 0)
            #expect(tracker.live == 2)
        }
        expectGone(tracker)
    }
}
