#if compiler(>=6.2)
    import CRegistry
    import Foundation
    import Hopoate
    import Testing

    // Each test runs in a process of its own, in which nothing else allocates.

    /// Memory depends on the number of registrations and not on the time that a process runs.
    @Suite(.mayBlock) struct GrowthTests {
        @Test func resolvingTakesNoMemory() async {
            await #expect(processExitsWith: .success) {
                let tracker = Tracker()
                let container = DependencyContainer()
                let child = container.makeChild()
                container.register(tracker.make(1), for: Tracked.self)
                container.hopoate1.register(service: Int.self, cacheService: false) { 1 }
                let wrapper = Dependency<Tracked>(container: container)
                expectFlatMemory(rounds: rounds(10_000_000)) {
                    var sum = container.resolve(Tracked.self).number
                    sum += child.resolve(Tracked.self).number
                    sum += container.resolve(Int.self)
                    sum += container.withService(Tracked.self) { $0.number }
                    sum += wrapper.wrappedValue.number
                    return sum == 5
                }
            }
        }

        @Test func newValuesOfKeyedServicesWithALimitTakeNoMemory() async {
            await #expect(processExitsWith: .success) {
                let tracker = Tracker()
                let container = DependencyContainer()
                container.register(Tracked.self, lifetime: .keyed(limit: 10)) { (_, number: Int) in
                    tracker.make(number)
                } onDispose: { _ in
                }
                container.register(Tracked.self, lifetime: .weak) { (_, text: String) in
                    tracker.make(text.utf8.count)
                }
                var number = 0
                expectFlatMemory(rounds: rounds(100_000)) {
                    number += 1
                    // Three times, so that each instance gets into the index.
                    for _ in 0..<3 {
                        guard container.resolve(Tracked.self, arguments: number).number == number else { return false }
                        let text = "value \(number)"
                        guard container.resolve(Tracked.self, arguments: text).isIntact else { return false }
                    }
                    return true
                }
                #expect(tracker.live == 10)
            }
        }

        @Test func resolvingUnknownTypesTakesNoMemory() async {
            await #expect(processExitsWith: .success) {
                let container = DependencyContainer()
                let child = container.makeChild()
                container.register(1, for: Int.self)
                let optional = OptionalDependency<[String]>(container: child)
                expectFlatMemory(rounds: rounds(1_000_000)) {
                    optionalResolve(Tracked.self) == nil && !container.canResolve(String.self)
                        && child.optionalResolve(Double.self) == nil && child.resolveAll([Int].self).isEmpty
                        && container.withOptionalService(Int?.self, { _ in }) == nil && optional.wrappedValue == nil
                }
            }
        }

        @Test func resolvingManyUnknownTypesTakesNoMemory() async {
            await #expect(processExitsWith: .success) {
                struct Probe: TypeVisitor {
                    let container: DependencyContainer
                    func visit<Parameter>(_ type: Parameter.Type, number: Int) {
                        let isThere =
                            container.canResolve(Tag<Parameter>.self)
                            || container.optionalResolve(Tag<Parameter>.self) != nil
                            || container.withOptionalService(Tag<Parameter>.self) { _ in } != nil
                            || !container.resolveAll(Tag<Parameter>.self).isEmpty
                        #expect(!isThere)
                    }
                }
                let container = DependencyContainer()
                container.register(1, for: Int.self)
                DependencyContainer.shared.register(1, for: Int.self)
                let before = hop_statistics_read(nil)
                expectFlatMemory(rounds: max(2, rounds(200))) {
                    visitTypes(200, Probe(container: container))
                    visitTypes(200, Probe(container: .shared))
                    return true
                }
                let after = hop_statistics_read(nil)
                #expect(after.capacity == before.capacity)
                #expect(after.deferred == 0)
                #expect(after.thread_records <= before.thread_records + 1)
            }
        }

        @Test func changingRegistrationsTakesNoMemory() async {
            await #expect(processExitsWith: .success) {
                let tracker = Tracker()
                let container = DependencyContainer()
                container.register(tracker.make(1), for: Tracked.self)
                expectFlatMemory(rounds: rounds(100_000)) {
                    container.remove(container.register(tracker.make(2), for: Tracked.self))
                    container.register(tracker.make(3), for: Tracked.self, replacing: true)
                    container.withService(Tracked.self) { _ in
                        _ = container.register(tracker.make(4), for: Tracked.self, replacing: true)
                    }
                    container.makeChild().register(tracker.make(5), for: Tracked.self)
                    let other = DependencyContainer()
                    other.hopoate1.register(service: Tracked.self, cacheService: false) { tracker.make(6) }
                    return other.resolve(Tracked.self).number == 6 && tracker.live == 1
                }
                container.removeAll()
                #expect(tracker.live == 0)
                #expect(hop_statistics_read(nil).deferred == 0)
            }
        }

        @Test func typesThatComeAndGoTakeNoMemory() async {
            await #expect(processExitsWith: .success) {
                struct Pass: TypeVisitor {
                    let container: DependencyContainer
                    let tracker: Tracker
                    func visit<Parameter>(_ type: Parameter.Type, number: Int) {
                        let tag = Tag<Parameter>(tracked: tracker.make(number))
                        container.remove(container.register(tag, for: Tag<Parameter>.self))
                    }
                }
                let tracker = Tracker()
                let container = DependencyContainer()
                expectFlatMemory(rounds: max(2, rounds(200))) {
                    visitTypes(300, Pass(container: container, tracker: tracker))
                    return tracker.live == 0
                }
            }
        }

        @Test func threadsThatComeAndGoTakeNoMemory() async {
            await #expect(processExitsWith: .success) {
                let tracker = Tracker()
                let container = DependencyContainer()
                container.register(tracker.make(1), for: Tracked.self)
                // At most five threads at once, because the main thread may have used the library, too.
                for _ in 0..<rounds(1000) {
                    await runThreads(4) { _ in
                        _ = container.resolve(Tracked.self)
                        container.withService(Tracked.self) { _ in }
                    }
                }
                #expect(hop_statistics_read(nil).thread_records <= 6)
            }
        }

        @Test func racingForTheFirstInstanceOfAChildTakesNoMemory() async {
            await #expect(processExitsWith: .success) {
                let tracker = Tracker()
                let container = DependencyContainer()
                container.register(Tracked.self, lifetime: .scoped) { _ in tracker.make() }
                // Two threads in step, so that one of them often loses the race.
                expectFlatMemory(rounds: max(200, rounds(1000))) {
                    let children = (0..<200).map { _ in container.makeChild() }
                    runThreads(2) { _ in
                        for child in children { _ = child.resolve(Tracked.self) }
                    }
                    return withExtendedLifetime(children) { tracker.live == children.count }
                }
            }
        }

        @Test func overridingSharedTakesNoMemory() async {
            await #expect(processExitsWith: .success) {
                let container = DependencyContainer()
                container.register(1, for: Int.self)
                expectFlatMemory(rounds: rounds(1_000_000)) {
                    DependencyContainer.$shared.withValue(container) {
                        let borrowed = withService(Int.self) { $0 }
                        return borrowed == 1 && resolve(Int.self) == 1 && optionalResolve(String.self) == nil
                    }
                }
            }
        }
    }

    /// Runs a closure for a warm-up and then again, and checks that the second run takes no memory.
    private func expectFlatMemory(rounds: Int, _ body: () -> Bool) {
        var failures = 0
        func run(_ rounds: Int) -> (resident: Int, allocated: Int) {
            for _ in 0..<rounds where !body() { failures += 1 }
            return (residentBytes(), allocatedBytes())
        }
        func growth() -> (resident: Int, allocated: Int) {
            let before = run(1)
            let after = run(rounds)
            return (after.resident - before.resident, after.allocated - before.allocated)
        }
        // Twice, because the first measurement allocates, too.
        _ = run(max(1, rounds / 10))
        // A leak takes at least 16 bytes per round. The tolerance covers variations of the allocator.
        let tolerance = rounds + 4096
        var (resident, allocated) = growth()
        // A leak happens each time, an unusual variation does not.
        if allocated >= tolerance { (resident, allocated) = growth() }
        #expect(failures == 0)
        #expect(allocated < tolerance, "\(allocated) bytes of the heap for \(rounds) rounds")
        // The sanitizers keep additional data in the resident memory.
        if !isSanitized { #expect(resident < 1 << 20, "\(resident) bytes of memory for \(rounds) rounds") }
    }
#endif
