import Foundation
import Hopoate
import Testing

/// Races of user code that runs inside borrows.
@Suite(.mayBlock) struct BorrowingConcurrencyTests {
    @Test(arguments: threadCounts) func closuresKeepTheirBorrowedServiceWhileTheyReplaceIt(threads: Int) {
        race(threads) { container, tracker in
            container.register(tracker.make(), for: Tracked.self)
            return { index in
                for round in 0..<rounds(2000) {
                    let token = container.register(tracker.make(round), for: Tracked.self)
                    container.withService(Tracked.self) { service in
                        container.remove(token)
                        _ = container.register(tracker.make(round), for: Tracked.self)
                        container.withService(Tracked.self) { check($0.isIntact) }
                        check(service.isIntact)
                        container.register(tracker.make(round), for: Tracked.self, replacing: true)
                        check(service.isIntact)
                    }
                }
            }
        }
    }

    @Test(arguments: threadCounts) func longBorrowsBlockNoWriterAndLeaveNoService(threads: Int) {
        race(threads) { container, tracker in
            container.register(tracker.make(), for: Tracked.self)
            return { index in
                for round in 0..<rounds(300) {
                    if index.isMultiple(of: 2) {
                        container.withService(Tracked.self) { service in
                            for _ in 0..<20 {
                                sched_yield()
                                check(service.isIntact)
                            }
                        }
                    } else {
                        for _ in 0..<10 {
                            container.register(tracker.make(round), for: Tracked.self, replacing: true)
                        }
                    }
                }
            }
        }
    }

    @Test(arguments: threadCounts) func eachBorrowOfAnUncachedServiceHasItsOwnInstance(threads: Int) {
        race(threads) { container, tracker in
            container.hopoate1.register(service: Tracked.self, cacheService: false) { tracker.make() }
            return { index in
                for round in 0..<rounds(2000) {
                    container.withService(Tracked.self) { service in
                        if index == 0, round.isMultiple(of: 8) {
                            container.hopoate1.overwriteExistingRegistrations(
                                service: Tracked.self, cacheService: false
                            ) {
                                tracker.make()
                            }
                        }
                        check(service.isIntact)
                    }
                }
            }
        }
    }

    @Test func closureMayWaitForALockThatTheRemoverHolds() {
        let tracker = Tracker()
        let container = DependencyContainer()
        let lock = NSLock()
        let (isBorrowed, isLocked, isOver) = (Signal(), Signal(), Signal())
        container.register(tracker.make(1), for: Tracked.self)
        let borrower = RealThread {
            container.withService(Tracked.self) { service in
                isBorrowed.raise()
                check(isLocked.wait())
                // The remover holds the lock until its removals have returned.
                lock.lock()
                lock.unlock()
                check(service.isIntact && service.number == 1)
            }
        }
        let remover = RealThread {
            check(isBorrowed.wait())
            lock.lock()
            isLocked.raise()
            container.register(tracker.make(2), for: Tracked.self, replacing: true)
            container.removeAll()
            for _ in 0..<100 { _ = DependencyContainer().register(tracker.make(3), for: Tracked.self) }
            lock.unlock()
            isOver.raise()
        }
        // If the threads are deadlocked, joining them would hang, too.
        guard isOver.wait() else {
            Issue.record("the remover waits for the borrowed closure")
            return
        }
        remover.join()
        borrower.join()
        expectGone(tracker)
    }

    @Test func closureMayWaitForAThreadThatRemovesTheBorrowedService() {
        let tracker = Tracker()
        let container = DependencyContainer()
        let token = container.register(tracker.make(1), for: Tracked.self)
        container.withService(Tracked.self) { service in
            let isRemoved = Signal()
            let remover = RealThread {
                container.remove(token)
                isRemoved.raise()
            }
            guard isRemoved.wait() else {
                Issue.record("the removal waits for the borrowed closure")
                return
            }
            remover.join()
            check(!container.canResolve(Tracked.self))
            check(service.isIntact)
        }
    }

    @Test func factoryMayWaitForAThreadThatUsesTheContainer() {
        let container = DependencyContainer()
        func askElsewhere() -> Int {
            let answer = Locked(0)
            let isDone = Signal()
            let thread = RealThread {
                container.register(20, for: Int.self)
                container.register(21, for: Int.self, replacing: true)
                answer.withLock { $0 = container.resolve(Int.self) }
                container.removeAll()
                isDone.raise()
            }
            guard isDone.wait() else {
                Issue.record("the container is locked while a creator runs")
                return 0
            }
            thread.join()
            return answer.current
        }
        container.hopoate1.register(service: Double.self, cacheService: false) { Double(askElsewhere()) }
        check(container.resolve(Double.self) == 21)
        container.hopoate1.register(service: String.self, cacheService: true) { "\(askElsewhere())" }
        check(container.resolve(String.self) == "21")
        container.hopoate1.overwriteExistingRegistrations(service: String.self, cacheService: true) {
            "over \(askElsewhere())"
        }
        check(container.resolve(String.self) == "over 21")
    }

    @Test func deinitMayWaitForAThreadThatUsesTheContainer() {
        let tracker = Tracker()
        let container = DependencyContainer()
        container.register(1, for: Int.self)
        let found = Locked(0)
        let makeService: @Sendable () -> Tracked = {
            tracker.make { [unowned container] in
                let isDone = Signal()
                let thread = RealThread { [unowned container] in
                    let number = container.resolve(Int.self)
                    container.register(number + 1, for: Int.self)
                    found.withLock { $0 += number }
                    isDone.raise()
                }
                if isDone.wait() { thread.join() } else { Issue.record("the container is locked while a deinit runs") }
            }
        }
        let token = Locked<ServiceRegistration<Tracked>?>(nil)
        token.withLock { $0 = container.register(makeService(), for: Tracked.self) }
        token.take().map(container.remove)
        container.register(makeService(), for: Tracked.self)
        container.hopoate1.overwriteExistingRegistrations(service: Tracked.self, cacheService: false) { tracker.make() }
        withExtendedLifetime(container) { expectGone(tracker) }
        check(found.current == 1 + 2)
    }
}
