import Hopoate
import Testing

private struct Unhashable: Sendable {}

/// A lifetime with one instance per argument value, inside what it shares.
enum LifetimeOfValues: String, CaseIterable {
    case weak, scoped, cached, graph

    var lifetime: Lifetime {
        switch self {
        case .weak: .weak
        case .scoped: .scoped
        case .cached: .cached(in: DependencyScope("session"))
        case .graph: .graph
        }
    }
}

/// What the lifetimes with one instance per argument value have in common.
@Suite(.mayBlock) struct ArgumentLifetimeTests {
    let container = DependencyContainer()
    let tracker = Tracker()

    /// Registers a service that resolves another one for some values, in one outermost resolve call.
    private func registerAll(_ values: [Int]) {
        container.register([Tracked].self, lifetime: .transient) { container in
            values.map { container.resolve(Tracked.self, arguments: $0) }
        }
    }

    @Test(arguments: LifetimeOfValues.allCases)
    func equalArgumentsShareAnInstance(kind: LifetimeOfValues) {
        container.register(Tracked.self, lifetime: kind.lifetime) { [tracker] (_, number: Int) in tracker.make(number) }
        registerAll([1, 2, 1, 2, 3])
        let services = container.resolve([Tracked].self)
        #expect(services.map(\.number) == [1, 2, 1, 2, 3])
        #expect(services[0] === services[2] && services[1] === services[3])
        #expect(tracker.made == 3)
    }

    @Test(arguments: LifetimeOfValues.allCases)
    func allArgumentsArePartOfTheValue(kind: LifetimeOfValues) {
        container.register(Tracked.self, named: "it", lifetime: kind.lifetime) {
            [tracker] (_, number: Int, text: String, flag: Bool) in
            tracker.make(number + text.count + (flag ? 10 : 0))
        }
        container.register([Tracked].self, lifetime: .transient) { container in
            [(1, "a", true), (1, "a", true), (2, "a", true), (1, "bc", true), (1, "a", false)].map {
                container.resolve(Tracked.self, named: "it", arguments: $0.0, $0.1, $0.2)
            }
        }
        #expect(container.resolve([Tracked].self).map(\.number) == [12, 12, 13, 13, 2])
        #expect(tracker.made == 4)
    }

    @Test(arguments: [LifetimeOfValues.weak, .scoped, .cached], threadCounts)
    func factoryRunsOncePerValueOnAllThreads(kind: LifetimeOfValues, threads: Int) {
        for _ in 0..<rounds(50) {
            let (container, tracker) = (DependencyContainer(), Tracker())
            container.register(Tracked.self, lifetime: kind.lifetime) { (_, number: Int) in tracker.make(number) }
            let services = race(threads) { index in
                (0..<5).map { container.resolve(Tracked.self, arguments: ($0 + index) % 5) }
            }
            check(tracker.made == 5 && Tracker.count(services.flatMap { $0 }) == 5)
        }
    }

    @Test(arguments: LifetimeOfValues.allCases)
    func failedCreationLeavesNothing(kind: LifetimeOfValues) {
        let isFailing = Locked(true)
        container.register(Tracked.self, lifetime: kind.lifetime) { [tracker] (_, key: CountedArgument) in
            if isFailing.current { throw Refusal.first }
            return tracker.make(key.number)
        }
        let arguments = Tracker()
        for number in 0..<100 {
            let error = failure { () throws(DependencyError) in
                try container.require(Tracked.self, arguments: CountedArgument(number % 10, arguments))
            }
            #expect(error?.underlying as? Refusal == .first)
        }
        #expect(arguments.made == 100 && arguments.live == 0)
        isFailing.withLock { $0 = false }
        #expect(container.resolve(Tracked.self, arguments: CountedArgument(1, arguments)).number == 1)
    }

    @Test(arguments: LifetimeOfValues.allCases)
    func argumentThatIsNotEqualToItselfIsAnError(kind: LifetimeOfValues) {
        container.register(Tracked.self, lifetime: kind.lifetime) { [tracker] (_, number: Double) in
            tracker.make(Int(number))
        }
        for _ in 0..<2 {
            let error = failure { () throws(DependencyError) in
                try container.require(Tracked.self, arguments: Double.nan)
            }
            #expect(error?.reason == .invalid)
            #expect(error?.description.contains("NaN") == true)
        }
        #expect(container.resolve(Tracked.self, arguments: 1.5).number == 1)
        #expect(tracker.made == 1)
    }

    @Test(arguments: LifetimeOfValues.allCases)
    func argumentsThatAreNotHashableAreRefusedByEachForm(kind: LifetimeOfValues) {
        let container = container
        let errors = [
            trap {
                container.register(Tracked.self, lifetime: kind.lifetime) { (_, _: Int, _: Unhashable) in
                    throw Refusal.first
                }
            },
            trap {
                container.register(Tracked.self, lifetime: kind.lifetime) { (_, _: Unhashable) async throws in
                    throw Refusal.first
                }
            },
            trap {
                container.register(unchecked: Tracked.self, lifetime: kind.lifetime) { (_, _: Unhashable) in
                    throw Refusal.first
                }
            },
        ]
        for error in errors {
            #expect(error?.reason == .invalid)
            for part in ["Unhashable", "ArgumentLifetimeTests.swift", "not Hashable", "use `.transient`"] {
                #expect(error?.description.contains(part) == true, "\(part) in \(error.map(String.init) ?? "nothing")")
            }
        }
        #expect(container.registrations.isEmpty)
    }

    @Test(arguments: LifetimeOfValues.allCases)
    func uncheckedFormSharesPerValueToo(kind: LifetimeOfValues) {
        container.register(unchecked: Tracked.self, lifetime: kind.lifetime) { [tracker] (_, number: Int) in
            tracker.make(number)
        }
        registerAll([1, 1, 2])
        #expect(Tracker.count(container.resolve([Tracked].self)) == 2)
    }

    @Test(arguments: LifetimeOfValues.allCases)
    func tasksShareTheInstanceOfAnAsynchronousFactory(kind: LifetimeOfValues) async throws {
        container.register(Tracked.self, lifetime: kind.lifetime) { [tracker] (_, number: Int) async throws in
            await Task.yield()
            if number < 0 { throw Refusal.second }
            return tracker.make(number)
        }
        container.register([Tracked].self, lifetime: .transient) { container async throws in
            async let one = container.asyncResolve(Tracked.self, arguments: 1)
            async let two = container.asyncResolve(Tracked.self, arguments: 2)
            async let other = container.asyncResolve(Tracked.self, arguments: 1)
            return try await [one, two, other]
        }
        let services = try await container.asyncResolve([Tracked].self)
        #expect(services.map(\.number) == [1, 2, 1])
        #expect(services[0] === services[2])
        #expect(tracker.made == 2)
        let error = await failure { () async throws(DependencyError) in
            try await container.asyncResolve(Tracked.self, arguments: -1)
        }
        #expect(error?.underlying as? Refusal == .second)
    }

    @Test func cancelledCallerLeavesTheCreationToTheOthers() async throws {
        let (isCreating, isDone) = (Signal(), Signal())
        container.register(Tracked.self, lifetime: .cached(in: DependencyScope("session"))) {
            [tracker] (_, number: Int) async in
            isCreating.raise()
            #expect(await isDone.wait())
            return tracker.make(number)
        }
        let cancelled = Task { [container] in try await container.asyncResolve(Tracked.self, arguments: 1) }
        #expect(await isCreating.wait())
        cancelled.cancel()
        #expect((await cancelled.result.failure as? DependencyError)?.reason == .cancelled)
        let other = Task { [container] in try await container.asyncResolve(Tracked.self, arguments: 1) }
        isDone.raise()
        #expect(try await other.value.number == 1)
        #expect(tracker.made == 1)
    }

    @Test(arguments: LifetimeOfValues.allCases)
    func cycleOfValuesIsReportedAndFiniteRecursionIsNot(kind: LifetimeOfValues) {
        container.register(Tracked.self, lifetime: kind.lifetime) { [tracker] (container, number: Int) in
            if number > 0 { _ = try container.require(Tracked.self, arguments: number == 100 ? 100 : number - 1) }
            return tracker.make(number)
        }
        let error = failure { () throws(DependencyError) in try container.require(Tracked.self, arguments: 100) }
        #expect(error?.reason == .circular)
        #expect(error?.chain == Array(repeating: "HopoateTests.Tracked(Swift.Int)", count: 2))
        #expect(container.resolve(Tracked.self, arguments: 20).number == 20)
    }

    @Test(arguments: LifetimeOfValues.allCases)
    func entryOfAPendingInstanceStays(kind: LifetimeOfValues) {
        container.register(Tracked.self, lifetime: kind.lifetime) { [tracker] (_, number: Int) in
            tracker.make(number)
        } afterCreation: { service, container in
            guard service.number == 0 else { return }
            // Each new value causes checks of older ones.
            for number in 1..<30 { _ = container.resolve(Tracked.self, arguments: number) }
            #expect(container.resolve(Tracked.self, arguments: 0) === service)
        }
        let service = container.resolve(Tracked.self, arguments: 0)
        #expect(tracker.made == 30)
        if kind != .graph { #expect(container.resolve(Tracked.self, arguments: 0) === service) }
    }

    @Test(arguments: LifetimeOfValues.allCases)
    func failedCompletionLeavesNothing(kind: LifetimeOfValues) {
        container.register(Tracked.self, lifetime: kind.lifetime) { [tracker] (_, key: CountedArgument) in
            tracker.make(key.number)
        } afterCreation: { _, _ in
            throw Refusal.second
        }
        let arguments = Tracker()
        for number in 0..<20 {
            let error = failure { () throws(DependencyError) in
                try container.require(Tracked.self, arguments: CountedArgument(number % 5, arguments))
            }
            #expect(error?.underlying as? Refusal == .second)
        }
        #expect(tracker.made == 20 && tracker.live == 0 && arguments.live == 0)
    }

    @Test(arguments: LifetimeOfValues.allCases)
    func decoratedServiceHasAnInstancePerValueToo(kind: LifetimeOfValues) {
        container.register(Tracked.self, lifetime: kind.lifetime) { [tracker] (_, number: Int) in tracker.make(number) }
        container.decorate(Tracked.self) { [tracker] (inner, _, number: Int) in tracker.make(inner.number + number) }
        registerAll([1, 2, 1])
        let services = container.resolve([Tracked].self)
        #expect(services.map(\.number) == [2, 4, 2])
        #expect(services[0] === services[2])
        #expect(tracker.made == 4)
    }

    @Test func slowCreationDelaysNoOtherValue() {
        let (isCreating, isDone) = (Signal(), Signal())
        container.register(Tracked.self, lifetime: .scoped) { [tracker] (_, number: Int) in
            if number == 0 {
                isCreating.raise()
                #expect(isDone.wait())
            }
            return tracker.make(number)
        }
        let slow = RealThread { [container] in _ = container.resolve(Tracked.self, arguments: 0) }
        #expect(isCreating.wait())
        #expect(container.resolve(Tracked.self, arguments: 1).number == 1)
        isDone.raise()
        slow.join()
    }

    @Test(arguments: LifetimeOfValues.allCases)
    func registrationsGoAndTakeTheirInstancesAlong(kind: LifetimeOfValues) {
        let arguments = Tracker()
        let token = Locked<ServiceRegistration<Tracked>?>(
            container.register(Tracked.self, lifetime: kind.lifetime) { [tracker] (_, key: CountedArgument) in
                tracker.make(key.number)
            })
        for number in 0..<10 {
            _ = container.resolve(Tracked.self, arguments: CountedArgument(number, arguments))
        }
        token.take().map(container.remove)
        #expect(!container.canResolve(Tracked.self, arguments: CountedArgument.self))
        expectGone(tracker)
        expectGone(arguments)
    }

    @Test func observersSeeOneCreationPerValue() {
        let counter = CreationCounter()
        container.instrument(with: counter)
        container.register(Tracked.self, lifetime: .scoped) { [tracker] (_, number: Int) in tracker.make(number) }
        let child = container.makeChild()
        for asked in [container, child] {
            for number in [1, 2, 1, 2] { _ = asked.resolve(Tracked.self, arguments: number) }
        }
        #expect(counter.created.current == 4)
        #expect(counter.resolved.current == 8)
    }
}

/// Counts creations and resolve calls.
private final class CreationCounter: DependencyInstrument, DependencyObserver {
    let created = Locked(0)
    let resolved = Locked(0)

    func observer(of dependency: ObservedDependency) -> (any DependencyObserver)? { self }

    func didResolve() { resolved.withLock { $0 += 1 } }

    func create<Output>(_ factory: () throws -> Output) rethrows -> Output {
        created.withLock { $0 += 1 }
        return try factory()
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
