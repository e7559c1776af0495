import Hopoate
import HopoateServer
import Testing

private final class Engine: Sendable {}
private final class Car: Sendable {
    let engine: Engine
    init(engine: Engine) { self.engine = engine }
}
private struct Key: ~Copyable {}
private enum Currency: DependencyKey {
    static var defaultValue: String { "EUR" }
}

/// Records the events of an instrument in order.
private final class Journal: DependencyInstrument {
    let lines = Locked<[String]>([])
    private let label: String
    private let isOfInterest: @Sendable (ObservedDependency) -> Bool

    init(_ label: String = "", where isOfInterest: @escaping @Sendable (ObservedDependency) -> Bool = { _ in true }) {
        self.label = label
        self.isOfInterest = isOfInterest
    }

    func observer(of dependency: ObservedDependency) -> (any DependencyObserver)? {
        isOfInterest(dependency) ? Pen(journal: self, dependency: dependency) : nil
    }

    func note(_ line: String) { lines.withLock { $0.append(label + line) } }

    /// Returns the events since the last call.
    func take() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }
}

private struct Pen: DependencyObserver {
    let journal: Journal
    let dependency: ObservedDependency

    private var what: String {
        String(describing: dependency.service) + (dependency.arguments ?? "") + (dependency.name.map { " \($0)" } ?? "")
    }

    func didResolve() { journal.note("got \(what)") }

    func create<Output>(_ creator: () throws -> Output) rethrows -> Output {
        journal.note("begin \(what)")
        do {
            defer { journal.note("end \(what)") }
            return try creator()
        } catch {
            journal.note("failed \(what): \(error)")
            throw error
        }
    }

    func create<Output>(
        isolation: isolated (any Actor)?, _ creator: () async throws -> Output
    ) async rethrows -> Output {
        journal.note("begin async \(what)")
        defer { journal.note("end async \(what)") }
        return try await creator()
    }
}

private struct Refused: Error {}

/// Events that an instrument receives, and the unchanged behaviour of an instrumented container.
@Suite(.mayBlock) struct ObservingTests {
    let container = DependencyContainer()
    private let journal = Journal()

    init() { container.instrument(with: journal) }

    @Test(arguments: [Lifetime.singleton, .weak, .graph, .scoped])
    func sharedServiceIsObservedPerResolveAndCreatedOnce(lifetime: Lifetime) {
        container.register(Engine.self, lifetime: lifetime) { _ in Engine() }
        #expect(journal.take() == [])
        let first = container.resolve(Engine.self)
        #expect(journal.take() == ["begin Engine", "end Engine", "got Engine"])
        let second = container.resolve(Engine.self)
        #expect(
            journal.take() == (lifetime.description == "graph" ? ["begin Engine", "end Engine"] : []) + ["got Engine"])
        withExtendedLifetime((first, second)) {}
    }

    @Test func transientServiceIsObservedAndCreatedPerResolve() {
        container.register(Engine.self, lifetime: .transient) { _ in Engine() }
        container.hopoate1.register(service: Car.self, cacheService: false) { Car(engine: Engine()) }
        for _ in 0..<2 {
            _ = container.resolve(Engine.self)
            _ = container.resolve(Car.self)
            let expected = ["begin Engine", "end Engine", "got Engine", "begin Car", "end Car", "got Car"]
            #expect(journal.take() == expected)
        }
    }

    @Test func eagerCreationIsObservedAtRegistration() {
        container.hopoate1.register(service: Engine.self, cacheService: true) { Engine() }
        #expect(journal.take() == ["begin Engine", "end Engine"])
        container.register(Engine.self, named: "spare", lifetime: .eager) { _ in Engine() }
        #expect(journal.take() == ["begin Engine spare", "end Engine spare"])
        let one = container.resolve(Engine.self)
        #expect(container.resolve(Engine.self) === one)
        _ = container.resolve(Engine.self, named: "spare")
        #expect(journal.take() == ["got Engine", "got Engine", "got Engine spare"])
    }

    @Test func registeredInstanceIsNotObservedAsACreation() {
        container.register(Engine(), for: Engine.self)
        container.register(Engine(), for: Engine.self, replacing: true)
        container.register(Engine(), for: Engine.self, named: "spare")
        #expect(journal.take() == [])
        _ = container.resolve(Engine.self)
        #expect(journal.take() == ["got Engine"])
    }

    @Test func argumentsAndKeyedInstancesAreObserved() {
        container.register(Engine.self, lifetime: .keyed) { (_, _: Int) in Engine() }
        container.register(Car.self, lifetime: .transient) { (container, number: Int) in
            Car(engine: container.resolve(Engine.self, arguments: number))
        }
        _ = container.resolve(Car.self, arguments: 7)
        #expect(
            journal.take() == [
                "begin Car(Swift.Int)", "begin Engine(Swift.Int)", "end Engine(Swift.Int)", "got Engine(Swift.Int)",
                "end Car(Swift.Int)",
                "got Car(Swift.Int)",
            ])
        _ = container.resolve(Engine.self, arguments: 7)
        #expect(journal.take() == ["got Engine(Swift.Int)"])
    }

    @Test func everyWayToResolveIsObserved() async throws {
        container.register(Engine(), for: Engine.self)
        container.register(Engine.self, named: "lazy") { _ in Engine() }
        _ = container.resolve(Engine.self)
        _ = container.optionalResolve(Engine.self)
        _ = try container.require(Engine.self)
        _ = container.resolveAll(Engine.self)
        container.withService(Engine.self) { _ in }
        container.withResolved(Engine.self) { _ in }
        _ = Dependency<Engine>(container: container).wrappedValue
        _ = try await container.asyncResolve(Engine.self)
        let given: Engine = try container()
        #expect(journal.take() == Array(repeating: "got Engine", count: 9))
        container.withService(Engine.self, named: "lazy") { _ in }
        container.withService(Engine.self, named: "lazy") { _ in }
        #expect(journal.take() == ["begin Engine lazy", "end Engine lazy", "got Engine lazy", "got Engine lazy"])
        #expect(container.canResolve(Engine.self))
        #expect(journal.take() == [])
        withExtendedLifetime(given) {}
    }

    @Test func failureIsObservedAsACreationButNotAsAResolve() {
        container.register(Engine.self) { _ in throw Refused() }
        #expect(throws: DependencyError.self) { try container.require(Engine.self) }
        #expect(journal.take() == ["begin Engine", "end Engine", "failed Engine: Refused()"])
    }

    @Test func creationIsNestedInTheCreationOfItsDependent() {
        container.register(Engine.self) { _ in Engine() }
        container.register(Car.self, using: Car.init)
        _ = container.resolve(Car.self)
        #expect(
            journal.take() == ["begin Car", "begin Engine", "end Engine", "got Engine", "end Car", "got Car"])
    }

    @Test func suspendingCreationIsAroundThatOfAScopedDependency() async throws {
        container.register(Engine.self, lifetime: .scoped) { _ in Engine() }
        container.register(Car.self, lifetime: .transient, using: Car.init)
        _ = try await container.makeChild().asyncResolve(Car.self)
        #expect(
            journal.take() == [
                "begin async Car", "begin Engine", "end Engine", "got Engine", "end async Car", "got Car",
            ])
    }

    @Test func asynchronousCreationIsObservedOnceForAllWaiters() async throws {
        container.register(Engine.self) { _ in
            await Task.yield()
            return Engine()
        }
        try await withThrowingTaskGroup(of: Void.self) { [container] group in
            for _ in 0..<8 { group.addTask { _ = try await container.asyncResolve(Engine.self) } }
            try await group.waitForAll()
        }
        let lines = journal.take()
        #expect(lines.filter { $0 == "begin async Engine" }.count == 1)
        #expect(lines.filter { $0 == "end async Engine" }.count == 1)
        #expect(lines.filter { $0 == "got Engine" }.count == 8)
    }

    @Test func warmUpIsObservedAsACreationButNotAsAResolve() async throws {
        container.register(Engine.self) { _ in Engine() }
        try await container.warmUp()
        #expect(journal.take() == ["begin Engine", "end Engine"])
    }

    @Test func childrenAndServicesOfTheirParentAreObserved() {
        container.register(Engine.self, lifetime: .scoped) { _ in Engine() }
        for _ in 0..<2 {
            let child = container.makeChild()
            child.register(Car.self, lifetime: .transient, using: Car.init)
            _ = child.resolve(Car.self)
            #expect(
                journal.take() == ["begin Car", "begin Engine", "end Engine", "got Engine", "end Car", "got Car"])
            #expect(child.resolve(Engine.self) === child.resolve(Engine.self))
            #expect(journal.take() == ["got Engine", "got Engine"])
        }
    }

    @Test func earlierRegistrationsAreNotObserved() {
        let container = DependencyContainer()
        container.register(Engine.self) { _ in Engine() }
        container.instrument(with: journal)
        _ = container.resolve(Engine.self)
        container.register(Car.self, using: Car.init)
        _ = container.resolve(Car.self)
        #expect(journal.take() == ["begin Car", "end Car", "got Car"])
    }

    @Test func otherContainersAreNotObserved() {
        let container = DependencyContainer()
        container.register(Engine.self) { _ in Engine() }
        _ = container.resolve(Engine.self)
        #expect(journal.take() == [])
    }

    @Test func instrumentMaySkipServices() {
        let container = DependencyContainer()
        let journal = Journal { $0.service is Car.Type }
        container.instrument(with: journal)
        container.register(Engine(), for: Engine.self)
        container.register(Car.self, using: Car.init)
        _ = container.resolve(Car.self)
        #expect(journal.take() == ["begin Car", "end Car", "got Car"])
    }

    @Test func severalInstrumentsNestWithTheFirstOutermost() async throws {
        let container = DependencyContainer()
        let lines = Journal()
        struct Outer: DependencyInstrument, DependencyObserver {
            let lines: Journal
            func observer(of dependency: ObservedDependency) -> (any DependencyObserver)? { self }
            func didResolve() { lines.note("outer got") }
            func create<Output>(_ creator: () throws -> Output) rethrows -> Output {
                lines.note("outer begins")
                defer { lines.note("outer ends") }
                return try creator()
            }
            func create<Output>(
                isolation: isolated (any Actor)?, _ creator: () async throws -> Output
            ) async rethrows -> Output {
                lines.note("outer begins")
                defer { lines.note("outer ends") }
                return try await creator()
            }
        }
        container.instrument(with: Outer(lines: lines))
        container.instrument(with: lines)
        container.register(Engine.self, lifetime: .transient) { _ in Engine() }
        _ = container.resolve(Engine.self)
        #expect(
            lines.take() == ["outer begins", "begin Engine", "end Engine", "outer ends", "outer got", "got Engine"])
        container.register(Car.self) { _ async in Car(engine: Engine()) }
        _ = try await container.asyncResolve(Car.self)
        #expect(
            lines.take() == ["outer begins", "begin async Car", "end async Car", "outer ends", "outer got", "got Car"])
    }

    @Test func observedDependencyDescribesTheRegistration() throws {
        let seen = Locked<[ObservedDependency]>([])
        let container = DependencyContainer()
        container.instrument(
            with: Journal {
                dependency in
                seen.withLock { $0.append(dependency) }
                return false
            })
        container.register(Engine.self, named: "spare", lifetime: .keyed) { (_, _: Int) in Engine() }
        let line = UInt(#line - 1)
        let dependency = try #require(seen.current.first)
        #expect(seen.current.count == 1)
        #expect(dependency.service is Engine.Type)
        #expect(dependency.name == "spare")
        #expect(dependency.arguments == "(Swift.Int)")
        #expect(dependency.lifetime.description == "keyed")
        #expect(dependency.place == "HopoateTests/ObservingTests.swift:\(line)")
        #expect(dependency.description == "\(shown(Engine.self))(Swift.Int) named \"spare\"")
    }

    @Test func noncopyableInstancesAndValuesAreNotObserved() {
        container.register(noncopyable: Key(), for: Key.self)
        container.withService(Key.self) { (_: borrowing Key) in }
        container.values[Currency.self] = "USD"
        #expect(container.values[Currency.self] == "USD")
        #expect(journal.take() == [])
    }

    @Test func removingOverwritingAndUninstallingWorkUnderObservation() async throws {
        let tracker = Tracker()
        struct Module: DependencyModule {
            let tracker: Tracker
            func register(in container: DependencyContainer) {
                container.register(Tracked.self, named: "module") { [tracker] _ in tracker.make() }
                container.register(tracker.make(), for: Tracked.self)
            }
        }
        let installation = try container.install(Module(tracker: tracker))
        _ = container.resolve(Tracked.self, named: "module")
        #expect(tracker.live == 2)
        container.uninstall(installation)
        #expect(await eventually { tracker.live == 0 })
        #expect(!container.canResolve(Tracked.self))
        container.register(tracker.make(1), for: Tracked.self)
        let registration = container.register(tracker.make(2), for: Tracked.self, replacing: true)
        #expect(await eventually { tracker.live == 1 })
        #expect(container.resolve(Tracked.self).number == 2)
        container.remove(registration)
        #expect(container.optionalResolve(Tracked.self) == nil)
    }

    @Test func hooksRunInReverseOrderOfCreationUnderObservation() async throws {
        let journal = journal
        for name in ["a", "b", "c"] as [DependencyName] {
            container.register(Engine.self, named: name, lifetime: name == "b" ? .eager : .singleton) { _ in
                Engine()
            } onDispose: { _ in
                journal.note("bye \(name)")
            }
        }
        _ = container.resolve(Engine.self, named: "c")
        _ = container.resolve(Engine.self, named: "a")
        _ = journal.take()
        try await container.shutdown()
        #expect(journal.take() == ["bye a", "bye c", "bye b"])
    }

    @Test func inspectionIsUnaffectedByInstruments() throws {
        func fill(_ container: DependencyContainer) {
            container.register(Engine(), for: Engine.self)
            container.hopoate1.register(service: Engine.self, cacheService: false) { Engine() }
            container.register(Engine.self, named: "eager", lifetime: .eager) { _ in Engine() }
            container.register(Car.self, using: Car.init)
            container.register(Car.self, named: "scoped", lifetime: .scoped) { _ in Car(engine: Engine()) }
            container.decorate(Car.self) { inner, _ in inner }
            container.forward((any Sendable).self, to: Car.self) { $0 }
        }
        let other = DependencyContainer()
        fill(container)
        fill(other)
        for _ in 0..<2 {
            #expect(container.registrations.map(\.description) == other.registrations.map(\.description))
            #expect(container.graph().dot == other.graph().dot)
            #expect("\(container.explain(Car.self))" == "\(other.explain(Car.self))")
            #expect(try "\(container.validate())" == "\(other.validate())")
            _ = container.resolve((any Sendable).self)
            _ = other.resolve((any Sendable).self)
        }
    }

    @Test func cycleIsReportedUnderObservation() {
        container.register(Engine.self) { container in try container.require(Car.self).engine }
        container.register(Car.self) { container in Car(engine: try container.require(Engine.self)) }
        let error = #expect(throws: DependencyError.self) { try container.require(Car.self) }
        #expect(error.map { "\($0)" }?.contains("Car → ") == true)
    }

    @Test func observerMayUseTheContainer() {
        final class Asking: DependencyInstrument, DependencyObserver {
            unowned let container: DependencyContainer
            init(_ container: DependencyContainer) { self.container = container }
            func observer(of dependency: ObservedDependency) -> (any DependencyObserver)? {
                dependency.service is Car.Type ? self : nil
            }
            func didResolve() { container.register(Engine(), for: Engine.self, named: "told") }
            func create<Output>(_ creator: () throws -> Output) rethrows -> Output {
                _ = container.resolve(Engine.self)
                return try creator()
            }
        }
        container.instrument(with: Asking(container))
        container.register(Engine.self) { _ in Engine() }
        container.register(Car.self, using: Car.init)
        _ = container.resolve(Car.self)
        #expect(container.canResolve(Engine.self, named: "told"))
    }

    @Test func observerMayFailTheCreation() async {
        struct Failing: DependencyInstrument, DependencyObserver {
            func observer(of dependency: ObservedDependency) -> (any DependencyObserver)? { self }

            func create<Output>(_ factory: () throws -> Output) throws -> Output { throw Refused() }

            func create<Output>(
                isolation: isolated (any Actor)?, _ factory: () async throws -> Output
            ) async throws -> Output {
                throw Refused()
            }
        }
        // The outer one of two observers.
        let child = container.makeChild()
        child.instrument(with: Failing())
        child.register(Engine.self) { _ in
            Issue.record("was created"); return Engine()
        }
        child.register(Car.self) { _ async in
            Issue.record("was created"); return Car(engine: Engine())
        }
        let error = #expect(throws: DependencyError.self) { try child.require(Engine.self) }
        #expect(error?.reason == .creationFailed && error?.underlying is Refused)
        let suspending = await #expect(throws: DependencyError.self) { try await child.asyncResolve(Car.self) }
        #expect(suspending?.reason == .creationFailed && suspending?.underlying is Refused)
        #expect(
            journal.take() == [
                "begin Engine", "end Engine", "failed Engine: Refused()", "begin async Car", "end async Car",
            ])
    }

    @Test(arguments: threadCounts)
    func concurrentResolvesAreAllObserved(threads: Int) {
        let container = DependencyContainer()
        let journal = Journal()
        container.instrument(with: journal)
        container.register(Engine.self) { _ in Engine() }
        let engines = race(threads) { _ in
            (0..<100).map { _ in ObjectIdentifier(container.resolve(Engine.self)) }
        }
        #expect(Set(engines.flatMap { $0 }).count == 1)
        let lines = journal.take()
        #expect(lines.filter { $0 == "got Engine" }.count == threads * 100)
        #expect(lines.filter { $0 == "begin Engine" }.count == 1)
    }

    @Test func instrumentedContainerIsReleased() {
        let tracker = Tracker()
        do {
            let container = DependencyContainer()
            container.instrument(with: Journal())
            container.register(Tracked.self) { _ in tracker.make() }
            container.register(tracker.make(), for: Tracked.self, named: "kept")
            container.register(Tracked.self, named: "scoped", lifetime: .scoped) { _ in tracker.make() }
            let child = container.makeChild()
            _ = (container.resolve(Tracked.self), child.resolve(Tracked.self, named: "scoped"))
            #expect(tracker.live == 3)
        }
        #expect(tracker.live == 0)
    }
}
