import Hopoate
import HopoateServer
import Testing

private struct Car: Sendable {}

/// Recording on several threads, and the number of living children.
@Suite(.mayBlock) struct RecordingRaceTests {
    let container = DependencyContainer()

    init() { container.recordCreations() }

    @Test(arguments: threadCounts)
    func noCreationIsLost(threads: Int) async throws {
        container.register(Car.self, lifetime: .transient) { _ in Car() }
        let each = rounds(20_000)
        await runThreads(threads) { [container] _ in
            for _ in 0..<each { _ = container.resolve(Car.self) }
        }
        #expect(container.snapshot().registrations[0].creations?.count == threads * each)
    }

    @Test func snapshotsAreConsistentWhileOthersCreate() async {
        container.register(Car.self, lifetime: .transient) { _ in Car() }
        let each = rounds(20_000)
        await runThreads(3) { [container] thread in
            var last = 0
            for _ in 0..<each {
                if thread > 0 {
                    _ = container.resolve(Car.self)
                    continue
                }
                guard let creations = container.snapshot().registrations[0].creations else { return check(false) }
                check(creations.count >= last)
                check((creations.first == nil) == (creations.count == 0))
                check(creations.longest?.duration ?? 0 >= creations.last?.duration ?? 0)
                last = creations.count
            }
        }
    }

    @Test func dynamicNamesInChainsMayEndWhileOthersAreMade() async {
        container.register(String.self, lifetime: .transient) { _ in "" }
        let each = rounds(5_000)
        await runThreads(4) { [container] thread in
            for round in 0..<each {
                let name = DependencyName("\(thread) \(round % 7)")
                let registration = container.register(Car.self, named: name, lifetime: .transient) { container in
                    _ = container.resolve(String.self)
                    return Car()
                }
                _ = container.optionalResolve(Car.self, named: name)
                container.remove(registration)
            }
        }
        #expect(container.snapshot().registrations.map { $0.creations?.count } == [4 * each])
    }

    @Test func livingChildrenAreCountedWithTheirChildren() async {
        #expect(container.snapshot().liveChildren == 0)
        var child: DependencyContainer? = container.makeChild()
        var grandchild = child?.makeChild()
        #expect(container.snapshot().liveChildren == 2)
        #expect(child?.snapshot().liveChildren == nil)
        child = nil
        #expect(container.snapshot().liveChildren == 2)
        _ = grandchild?.snapshot()
        grandchild = nil
        #expect(container.snapshot().liveChildren == 0)
    }

    @Test func childrenThatEndOnOtherThreadsAreCounted() async {
        let each = rounds(10_000)
        await runThreads(8) { [container] _ in
            for _ in 0..<each {
                let child = container.makeChild()
                child.register(1, for: Int.self)
                check(container.snapshot().liveChildren ?? 0 >= 1)
            }
        }
        #expect(container.snapshot().liveChildren == 0)
    }

    @Test func secondCallAndCallInAChildChangeNothing() {
        container.recordCreations()
        let child = container.makeChild()
        child.recordCreations()
        #expect(child.snapshot().liveChildren == nil)
        #expect(container.snapshot().liveChildren == 1)
    }
}

#if compiler(>=6.2)
    private struct Silent: DependencyInstrument, DependencyObserver {
        func observer(of dependency: ObservedDependency) -> (any DependencyObserver)? { self }
    }

    // Each test runs in a process of its own, because it reads counts of the whole process.

    /// The cost of recording: fast paths stay, and memory is bounded.
    @Suite(.mayBlock) struct RecordingCostTests {
        @Test func recordedSingletonIsStillBorrowed() async {
            await #expect(processExitsWith: .success) {
                // Only a borrowed singleton, which is not retained, defers the release of its registration.
                func isBorrowed(in container: DependencyContainer) -> Bool {
                    let registration = container.register(Tracked.self) { _ in Tracker().make() }
                    _ = container.resolve(Tracked.self)
                    return container.withService(Tracked.self) { _ in
                        container.remove(registration)
                        return container.snapshot().deferredReleases > 0
                    }
                }
                let (plain, recorded, observed) = (DependencyContainer(), DependencyContainer(), DependencyContainer())
                recorded.recordCreations()
                observed.instrument(with: Silent())
                #expect(isBorrowed(in: plain))
                #expect(isBorrowed(in: recorded))
                #expect(!isBorrowed(in: observed))
            }
        }

        @Test func recordedInstanceIsResolvedWithoutAllocation() async {
            await #expect(processExitsWith: .success) {
                let container = DependencyContainer()
                container.recordCreations()
                let tracker = Tracker()
                for lifetime in [Lifetime.singleton, .scoped, .weak] {
                    container.register(Tracked.self, lifetime: lifetime, replacing: true) { _ in tracker.make() }
                    let instance = container.resolve(Tracked.self)
                    let before = allocatedBytes()
                    for _ in 0..<10_000 { precondition(container.resolve(Tracked.self) === instance) }
                    #expect(abs(allocatedBytes() - before) < 10_000)
                }
            }
        }

        @Test func memoryIsBoundedByTheRegistrations() async {
            await #expect(processExitsWith: .success) {
                let container = DependencyContainer()
                container.recordCreations()
                container.register(Car.self, lifetime: .scoped) { _ in Car() }
                container.register(String.self, lifetime: .transient) { container in
                    "\(container.resolve(Car.self))"
                }
                func work() {
                    for round in 0..<2_000 {
                        let child = container.makeChild()
                        child.register(Int.self, lifetime: .eager) { _ in round }
                        child.register(Double.self, named: DependencyName("\(round)")) { _ in Double(round) }
                        _ = (child.resolve(String.self), child.resolve(Double.self, named: DependencyName("\(round)")))
                        let registration = container.register(Bool.self, lifetime: .eager) { _ in true }
                        container.remove(registration)
                    }
                }
                work()
                let before = allocatedBytes()
                work()
                // A record has hundreds of bytes, so a list of 2 000 of them would be seen.
                #expect(allocatedBytes() - before < 100_000)
            }
        }

        @Test func recordedContainerIsReleased() async {
            await #expect(processExitsWith: .success) {
                let tracker = Tracker()
                weak var ended: DependencyContainer?
                do {
                    let container = DependencyContainer()
                    ended = container
                    container.recordCreations()
                    container.register(Tracked.self) { _ in
                        tracker.make(atDeath: { _ = DependencyContainer().snapshot() })
                    }
                    container.register(Car.self) { container in
                        _ = container.resolve(Tracked.self)
                        return Car()
                    }
                    _ = container.makeChild().resolve(Car.self)
                }
                #expect(ended == nil)
                #expect(tracker.live == 0)
            }
        }
    }
#endif
