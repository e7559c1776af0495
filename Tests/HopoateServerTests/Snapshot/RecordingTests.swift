import Hopoate
import HopoateServer
import Testing

private struct Engine: Sendable {}
private struct Car: Sendable {}
private struct Garage: Sendable {}
private struct Refused: Error {}

/// The recorded creations, with a clock that the test controls.
@Suite struct RecordingTests {
    let clock = StepClock(at: 1_000)
    let container = DependencyContainer()

    init() { container.recordCreations(by: { [clock] in clock.now }) }

    private func creations(of index: Int = 0) throws -> DependencySnapshot.Creations {
        try #require(container.snapshot().registrations[index].creations)
    }

    @Test func startDurationAndChainAreRecorded() throws {
        container.register(Engine.self) { [clock] _ in
            clock.pass(30)
            return Engine()
        }
        container.register(Car.self, named: "red", lifetime: .transient) { [clock] container in
            clock.pass(5)
            _ = container.resolve(Engine.self)
            clock.pass(5)
            return Car()
        }
        clock.pass(100)
        _ = container.resolve(Car.self, named: "red")
        let snapshot = container.snapshot()
        #expect(snapshot.recorded == 140)
        let (engine, car) = (snapshot.registrations[0], snapshot.registrations[1])
        let red = "HopoateServerTests.Car named \"red\""
        let outer = try #require(car.creations?.first)
        #expect(outer.start == 100 && outer.duration == 40 && outer.chain == [red] && outer.depth == 1)
        let inner = try #require(engine.creations?.first)
        #expect(inner.start == 105 && inner.duration == 30 && inner.depth == 2)
        #expect(inner.chain == [red, engine.service])
        #expect(engine.service == "HopoateServerTests.Engine")
        #expect(engine.creations?.count == 1 && engine.creations?.failures == 0)
        #expect(engine.creations?.last == inner && engine.creations?.longest == inner)
    }

    @Test func durationOfASuspendingCreationContainsThatOfAScopedDependency() async throws {
        container.register(Engine.self, lifetime: .scoped) { [clock] _ in
            clock.pass(30)
            return Engine()
        }
        container.register(Car.self, lifetime: .transient, using: { (_: Engine) in Car() })
        _ = try await container.makeChild().asyncResolve(Car.self)
        let car = try #require(creations(of: 1).first)
        let engine = try #require(creations().first)
        #expect(car.duration == 30 && engine.duration == 30 && engine.depth == 2)
    }

    @Test func firstLastAndLongestCreationAreKept() throws {
        let durations = Locked([20, 70, 10])
        container.register(Car.self, lifetime: .transient) { [clock] _ in
            clock.pass(durations.withLock { $0.removeFirst() })
            return Car()
        }
        for _ in 1...3 { _ = container.resolve(Car.self) }
        let creations = try creations()
        #expect(creations.count == 3)
        #expect([creations.first?.duration, creations.longest?.duration, creations.last?.duration] == [20, 70, 10])
        #expect(creations.last?.start == 90)
    }

    @Test func failuresAreCountedAndTheNextRunIsRecorded() throws {
        let runs = Locked(0)
        container.register(Car.self) { _ in
            if runs.next() == 1 { throw Refused() }
            return Car()
        }
        #expect(throws: DependencyError.self) { try container.require(Car.self) }
        #expect(try creations().failures == 1)
        #expect(try creations().first == nil)
        _ = try container.require(Car.self)
        #expect(try creations().count == 1)
    }

    @Test(arguments: [Lifetime.singleton, .weak, .graph, .scoped, .eager])
    func resolveCallsThatFindAnInstanceAreNotRecorded(lifetime: Lifetime) throws {
        let tracker = Tracker()
        container.register(Tracked.self, lifetime: lifetime) { _ in tracker.make() }
        container.register(Car.self, lifetime: .transient) { container in
            let first = container.resolve(Tracked.self)
            for _ in 1...10 { #expect(container.resolve(Tracked.self) === first) }
            return Car()
        }
        _ = container.resolve(Car.self)
        #expect(try creations().count == 1)
        #expect(tracker.made == 1)
    }

    @Test func unsharedAndHopoate1FormsAreRecorded() throws {
        container.register(Car.self, lifetime: .transient) { _ in Car() }
        container.register(Engine.self, lifetime: .eager) { _ in Engine() }
        container.register(Garage(), for: Garage.self)
        for _ in 1...3 { _ = container.resolve(Car.self) }
        _ = container.resolve(Engine.self)
        let counts = container.snapshot().registrations.map { $0.creations?.count }
        #expect(counts == [3, 1, nil])
    }

    @Test func earlierRegistrationsAreNotRecorded() {
        let container = DependencyContainer()
        container.register(Car.self) { _ in Car() }
        container.recordCreations()
        container.register(Engine.self) { _ in Engine() }
        _ = (container.resolve(Car.self), container.resolve(Engine.self))
        #expect(container.snapshot().registrations.map { $0.creations?.count } == [nil, 1])
    }

    @Test func scopedCreationsOfChildrenAreRecordedWithTheRegistration() throws {
        container.register(Car.self, lifetime: .scoped) { _ in Car() }
        for _ in 1...50 { _ = container.makeChild().resolve(Car.self) }
        #expect(try creations().count == 50)
    }

    @Test func chainHasTheInnermostServicesOnly() throws {
        container.register(Int.self, lifetime: .keyed) { (container, number: Int) -> Int in
            number == 0 ? 0 : try container.require(Int.self, arguments: number - 1)
        }
        _ = container.resolve(Int.self, arguments: 40)
        let innermost = try #require(try creations().first)
        #expect(innermost.depth == 41)
        #expect(innermost.chain.count == 16)
    }

    @Test func asynchronousCreationIsRecordedWithItsChain() async throws {
        container.register(Engine.self) { [clock] _ async in
            clock.pass(7)
            await Task.yield()
            return Engine()
        }
        container.register(Car.self, lifetime: .transient) { container async throws in
            _ = try await container.asyncResolve(Engine.self)
            return Car()
        }
        _ = try await container.asyncResolve(Car.self)
        let engine = try #require(try creations().first)
        #expect(engine.duration == 7)
        #expect(engine.chain.map { $0.hasSuffix("Car") } == [true, false])
    }

    @Test func creationWhoseCallerIsCancelledIsRecordedOnce() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let begun = Signal()
        container.register(Engine.self) { _ async in
            begun.raise()
            for await _ in gate {}
            return Engine()
        }
        let caller = Task { [container] in try await container.asyncResolve(Engine.self) }
        #expect(await begun.wait())
        caller.cancel()
        #expect(await caller.result.failed)
        #expect(try creations().count == 0)
        open.finish()
        _ = try await container.asyncResolve(Engine.self)
        #expect(try creations().count == 1)
    }

    @Test func factoryMayTakeASnapshotOfItsContainer() throws {
        let during = Locked<DependencySnapshot?>(nil)
        container.register(Car.self) { container in
            let snapshot = container.snapshot()
            during.withLock { $0 = snapshot }
            return Car()
        }
        _ = container.resolve(Car.self)
        let registration = try #require(during.current?.registrations.first)
        #expect(!registration.exists)
        #expect(registration.creations?.count == 0)
    }

    @Test func parentAndChildShareOneTimeAxis() throws {
        let (parent, clock) = (DependencyContainer(), clock)
        let child = parent.makeChild()
        child.recordCreations(by: { clock.now })
        clock.pass(10)
        parent.recordCreations(by: { clock.now })
        parent.register(Car.self) { _ in Car() }
        clock.pass(10)
        _ = child.resolve(Car.self)
        #expect(child.snapshot().registrations[0].creations?.first?.start == 20)
        #expect(parent.snapshot().registrations[0].creations?.first?.start == 10)
    }

    @Test func recordingAndInstrumentsGoTogether() throws {
        struct Passive: DependencyInstrument, DependencyObserver {
            let seen: Locked<Int>
            func observer(of dependency: ObservedDependency) -> (any DependencyObserver)? { self }
            func didResolve() { _ = seen.next() }
        }
        let seen = Locked(0)
        container.instrument(with: Passive(seen: seen))
        container.register(Car.self) { _ in Car() }
        for _ in 1...3 { _ = container.resolve(Car.self) }
        #expect(seen.current == 3)
        #expect(try creations().count == 1)
    }

    @Test func criticalPathFollowsTheLongestFirstCreations() {
        func register<Service: Sendable>(_ service: Service, _ time: Int, needing needs: @escaping @Sendable () -> Void)
        {
            container.register(Service.self) { [clock] _ in
                needs()
                clock.pass(time)
                return service
            }
        }
        register(Engine(), 30, needing: {})
        register(Garage(), 10, needing: {})
        register("", 1) { [container] in _ = container.resolve(Engine.self) }
        register(Car(), 5) { [container] in _ = (container.resolve(Garage.self), container.resolve(String.self)) }
        register(7, 20, needing: {})
        #expect(container.snapshot().criticalPath.isEmpty)
        _ = (container.resolve(Int.self), container.resolve(Car.self))
        let path = container.snapshot().criticalPath
        #expect(path.map(\.type.last) == ["r", "g", "e"])
        #expect(path.map(\.id) == [3, 2, 0])
    }
}

extension Result {
    fileprivate var failed: Bool { if case .failure = self { true } else { false } }
}
