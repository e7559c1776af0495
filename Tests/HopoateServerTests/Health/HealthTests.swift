import Hopoate
import HopoateServer
import Testing

extension DependencyName {
    fileprivate static let audit: DependencyName = "audit"
}

/// Health checks: they see existing instances, run at once, and are bounded in time.
@Suite struct HealthTests {
    private struct Unreachable: Error {}

    private let container = DependencyContainer()
    private let tracker = Tracker()

    /// The outcomes in words, in the order of the report.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    private func outcomes(of container: DependencyContainer) async -> [String] {
        await container.health(within: .seconds(patience)).results.map(\.status.description)
    }

    private func register(_ lifetime: Lifetime = .singleton) {
        container.register(Tracked.self, lifetime: lifetime) { [tracker] _ in tracker.make() }
    }

    // MARK: Outcomes

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test func containerWithoutChecksIsReady() async {
        let health = await container.health(within: .zero)
        #expect(health.isReady && health.isAlive && health.results.isEmpty && health.description.isEmpty)
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test func checksSeeTheInstanceAndItsErrors() async throws {
        register()
        container.register(2, for: Int.self)
        let seen = Locked<ObjectIdentifier?>(nil)
        container.addHealthCheck(of: Tracked.self) { [seen] service in
            seen.withLock { $0 = ObjectIdentifier(service) }
        }
        container.addHealthCheck(of: Int.self) { _ in throw Unreachable() }
        let service = container.resolve(Tracked.self)
        let health = await container.health(within: .seconds(patience))
        #expect(seen.current == ObjectIdentifier(service))
        #expect(!health.isReady && health.isAlive)
        #expect(health.results.map(\.status.description) == ["healthy", "unhealthy: Unreachable()"])
        guard case .unhealthy(let error) = health.results[1].status else {
            Issue.record("the error is missing")
            return
        }
        #expect(error is Unreachable)
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test(arguments: ["singleton", "weak", "cached", "scoped"]) func checkCreatesNothing(lifetime: String) async {
        let scope = DependencyScope("health")
        let lifetimes: [String: Lifetime] = [
            "singleton": .singleton, "weak": .weak, "cached": .cached(in: scope), "scoped": .scoped,
        ]
        register(lifetimes[lifetime] ?? .singleton)
        container.addHealthCheck(of: Tracked.self) { #expect($0.isIntact) }
        #expect(await outcomes(of: container) == ["not created"])
        #expect(await container.health(within: .seconds(patience)).isReady)
        #expect(tracker.made == 0)
        let service = container.resolve(Tracked.self)
        #expect(await outcomes(of: container) == ["healthy"])
        withExtendedLifetime(service) { #expect(tracker.made == 1) }
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test func releasedInstancesAreNotCreatedAgain() async {
        let scope = DependencyScope("health")
        register(.cached(in: scope))
        container.register([Int].self, lifetime: .cached(in: scope)) { _ in [1] }
        container.addHealthCheck(of: [Int].self) { _ in }
        _ = container.resolve([Int].self)
        #expect(await outcomes(of: container) == ["healthy"])
        scope.reset()
        #expect(await outcomes(of: container) == ["not created"])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test func creationInFlightCountsAsNotCreated() async throws {
        let (isCreating, goOn) = (AsyncSignal(), AsyncSignal())
        container.register(Tracked.self) { [tracker] _ async in
            isCreating.raise()
            await goOn.wait()
            return tracker.make()
        }
        container.addHealthCheck(of: Tracked.self) { _ in }
        let creation = Task { [container] in try await container.asyncResolve(Tracked.self).isIntact }
        await isCreating.wait()
        #expect(await outcomes(of: container) == ["not created"])
        goOn.raise()
        #expect(try await creation.value)
        #expect(await outcomes(of: container) == ["healthy"])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test func registeredAndEagerInstancesExist() async {
        container.register(1, for: Int.self)
        register(.eager)
        container.addHealthCheck(of: Int.self) { #expect($0 == 1) }
        container.addHealthCheck(of: Tracked.self) { #expect($0.isIntact) }
        #expect(await outcomes(of: container) == ["healthy", "healthy"])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test func observedServicesAreFoundAsWell() async {
        struct Attentive: DependencyInstrument, DependencyObserver {
            func observer(of dependency: ObservedDependency) -> (any DependencyObserver)? { self }
        }
        container.instrument(with: Attentive())
        container.register(1, for: Int.self)
        register()
        container.addHealthCheck(of: Int.self) { #expect($0 == 1) }
        container.addHealthCheck(of: Tracked.self) { #expect($0.isIntact) }
        #expect(await outcomes(of: container) == ["healthy", "not created"])
        _ = container.resolve(Tracked.self)
        #expect(await outcomes(of: container) == ["healthy", "healthy"])
    }

    // MARK: Failed creations

    /// Registers a service that cannot be created until the switch is on.
    private func registerBroken(_ lifetime: Lifetime = .singleton, isAsynchronous: Bool = false) -> Locked<Bool> {
        let works = Locked(false)
        if isAsynchronous {
            container.register(Tracked.self, lifetime: lifetime) { [tracker] _ async throws in
                await Task.yield()
                if !works.current { throw Unreachable() }
                return tracker.make()
            }
        } else {
            container.register(Tracked.self, lifetime: lifetime) { [tracker] _ in
                if !works.current { throw Unreachable() }
                return tracker.make()
            }
        }
        container.addHealthCheck(of: Tracked.self) { #expect($0.isIntact) }
        return works
    }

    private static let failed = "creation failed: Cannot resolve '\(String(reflecting: Tracked.self))'"

    /// Whether the only check reports a failed creation, and the container is not ready.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    private func isFailed(_ asked: DependencyContainer? = nil) async -> Bool {
        let health = await (asked ?? container).health(within: .seconds(patience))
        guard case .failed(let error)? = health.results.first?.status else { return false }
        return error.underlying is Unreachable && !health.isReady
            && health.results[0].status.description.hasPrefix(Self.failed)
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test(arguments: ["singleton", "weak", "cached", "scoped"], [false, true])
    func serviceThatCannotBeCreatedIsNotReadyUntilACreationSucceeds(lifetime: String, isAsynchronous: Bool) async {
        let scope = DependencyScope("health")
        let lifetimes: [String: Lifetime] = [
            "singleton": .singleton, "weak": .weak, "cached": .cached(in: scope), "scoped": .scoped,
        ]
        let works = registerBroken(lifetimes[lifetime] ?? .singleton, isAsynchronous: isAsynchronous)
        #expect(await outcomes(of: container) == ["not created"])
        for _ in 0..<2 {
            _ = try? await container.asyncResolve(Tracked.self)
            #expect(await isFailed())
            if !isAsynchronous { _ = try? container.require(Tracked.self) }
            #expect(await isFailed())
        }
        works.withLock { $0 = true }
        // The failure stays until a creation succeeds.
        #expect(await isFailed())
        let service = try? await container.asyncResolve(Tracked.self)
        #expect(await outcomes(of: container) == ["healthy"])
        withExtendedLifetime(service) { #expect(tracker.made == 1) }
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test func creationInFlightAfterAFailureStaysFailed() async throws {
        let (isCreating, goOn) = (AsyncSignal(), AsyncSignal())
        let works = Locked(false)
        container.register(Tracked.self) { [tracker] _ async throws in
            if !works.current { throw Unreachable() }
            isCreating.raise()
            await goOn.wait()
            return tracker.make()
        }
        container.addHealthCheck(of: Tracked.self) { #expect($0.isIntact) }
        _ = try? await container.asyncResolve(Tracked.self)
        works.withLock { $0 = true }
        let creation = Task { [container] in try await container.asyncResolve(Tracked.self).isIntact }
        await isCreating.wait()
        #expect(await isFailed())
        goOn.raise()
        #expect(try await creation.value)
        #expect(await outcomes(of: container) == ["healthy"])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test(arguments: ["weak", "cached"]) func instanceThatLeavesAfterASuccessIsNotFailed(lifetime: String) async {
        let scope = DependencyScope("health")
        let works = registerBroken(lifetime == "weak" ? .weak : .cached(in: scope))
        _ = try? container.require(Tracked.self)
        works.withLock { $0 = true }
        #expect((try? container.require(Tracked.self))?.isIntact == true)
        scope.reset()
        #expect(await outcomes(of: container) == ["not created"])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test(arguments: [false, true]) func failureEndsWithItsRegistration(isReplaced: Bool) async {
        container.register(Tracked.self) { [tracker] _ in tracker.make() }
        let broken = container.register(Tracked.self) { _ -> Tracked in throw Unreachable() }
        container.addHealthCheck(of: Tracked.self) { #expect($0.isIntact) }
        _ = try? container.require(Tracked.self)
        #expect(await isFailed())
        if isReplaced {
            container.register(Tracked.self, replacing: true) { [tracker] _ in tracker.make() }
        } else {
            container.remove(broken)
        }
        #expect(await outcomes(of: container) == ["not created"])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test func completionThatFailsIsAFailedCreation() async {
        container.register(Int.self) { _ in 1 }
        container.register(Tracked.self) { [tracker] container in
            _ = try container.require(Int.self)
            return tracker.make()
        } afterCreation: { _, _ in
            throw Unreachable()
        }
        container.addHealthCheck(of: Tracked.self) { _ in }
        container.addHealthCheck(of: Int.self) { _ in }
        _ = try? container.require(Tracked.self)
        #expect(await isFailed())
        #expect(await outcomes(of: container).last == "healthy")
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test(arguments: [false, true]) func failureOfADependencyFailsItsUsersToo(isScoped: Bool) async {
        final class User: Sendable {
            init(_ service: Tracked) {}
        }
        let works = registerBroken(isScoped ? .scoped : .singleton)
        container.register(User.self, lifetime: isScoped ? .scoped : .singleton, using: User.init)
        container.addHealthCheck(of: User.self) { _ in }
        let child = isScoped ? container.makeChild() : container
        _ = try? await child.asyncResolve(User.self)
        let statuses = await outcomes(of: child)
        #expect(statuses.count == 2 && statuses.allSatisfy { $0.hasPrefix(Self.failed) })
        works.withLock { $0 = true }
        _ = try? await child.asyncResolve(User.self)
        #expect(await outcomes(of: child) == ["healthy", "healthy"])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test(arguments: [false, true]) func failureInAChildConcernsNoOtherContainer(hasHook: Bool) async {
        let hook: (@Sendable (Tracked) throws -> Void)? = hasHook ? { @Sendable _ in } : nil
        container.register(
            Tracked.self, lifetime: .scoped, factory: { _ in throw Unreachable() }, onDispose: hook)
        container.addHealthCheck(of: Tracked.self) { _ in }
        let child = container.makeChild()
        _ = try? child.require(Tracked.self)
        #expect(await isFailed(child))
        #expect(await outcomes(of: container) == ["not created"])
        #expect(await outcomes(of: container.makeChild()) == ["not created"])
        #expect(await outcomes(of: child.makeChild()) == ["not created"])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test func callerThatIsRefusedIsNoFailedCreation() async {
        final class Shared: Sendable {
            init(_ service: Tracked) {}
        }
        let works = registerBroken(.scoped)
        works.withLock { $0 = true }
        container.register(Shared.self, using: Shared.init)
        container.addHealthCheck(of: Shared.self) { _ in }
        // A captive dependency.
        _ = try? container.require(Shared.self)
        let statuses = await outcomes(of: container)
        #expect(statuses.first == "not created" && statuses.last?.hasPrefix("creation failed: ") == true)
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test func synchronousCallForAnAsynchronousServiceIsNoFailedCreation() async {
        register(.singleton)
        container.register(Int.self) { _ async in 7 }
        container.addHealthCheck(of: Int.self) { _ in }
        _ = try? container.require(Int.self)
        #expect(await outcomes(of: container) == ["not created"])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test(arguments: [false, true]) func warmUpThatFailsLeavesTheServerNotReady(hasLimit: Bool) async {
        let works = registerBroken(isAsynchronous: true)
        for _ in 0..<2 {
            if hasLimit {
                await #expect(throws: DependencyStartError.self) { try await container.warmUp(limit: nil) }
            } else {
                await #expect(throws: DependencyError.self) { try await container.warmUp() }
            }
            #expect(await isFailed())
        }
        works.withLock { $0 = true }
        try? await container.warmUp()
        #expect(await outcomes(of: container) == ["healthy"])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test func creationThatFailsForLivenessIsNotAlive() async {
        container.register(Tracked.self) { _ in throw Unreachable() }
        container.addHealthCheck(of: Tracked.self, for: .liveness) { _ in }
        #expect(await container.health(within: .seconds(patience)).isAlive)
        _ = try? container.require(Tracked.self)
        #expect(await !container.health(within: .seconds(patience)).isAlive)
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test func failuresOfRemovedRegistrationsAreReleased() async {
        /// An error that holds an object, as one of a database driver may.
        struct Heavy: Error {
            let object: Tracked
        }
        for _ in 0..<rounds(1_000) {
            let registration = container.register(Int.self) { [tracker] _ in throw Heavy(object: tracker.make()) }
            _ = try? container.require(Int.self)
            container.remove(registration)
        }
        #expect(tracker.live <= 17)
        // Alive at the same time, so that no factory has the address of an earlier one, and its place among the failures.
        for _ in 0..<100 {
            container.register(Int.self) { _ in throw Unreachable() }
            _ = try? container.require(Int.self)
        }
        await expectGone(tracker)
    }

    // MARK: Mistakes

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test(arguments: ["transient", "graph", "alias"]) func serviceWithoutAKeptInstanceIsReported(kind: String) async {
        switch kind {
        case "transient": register(.transient)
        case "graph": register(.graph)
        default:
            container.register(3, for: Int.self)
            container.forward(Tracked.self, to: Int.self) { [tracker] in tracker.make($0) }
        }
        container.addHealthCheck(of: Tracked.self) { _ in }
        let health = await container.health(within: .seconds(patience))
        #expect(!health.isReady && tracker.made == 0)
        let lifetime = kind == "graph" ? "graph" : "transient"
        let text = health.description
        #expect(
            text.contains(
                "Cannot check the health of '\(String(reflecting: Tracked.self))' at HopoateServerTests/HealthTests.swift:"
            ))
        #expect(
            text.contains(
                "it has the lifetime '\(lifetime)', so no instance of it is kept. Check the service behind it, or register it as a singleton."
            ))
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test func serviceWithoutARegistrationIsUnhealthy() async throws {
        container.addHealthCheck(of: Tracked.self) { _ in }
        let health = await container.health(within: .seconds(patience))
        #expect(!health.isReady)
        guard case .unhealthy(let error as DependencyError) = try #require(health.results.first).status else {
            Issue.record("not reported: \(health)")
            return
        }
        #expect(error.reason == .notRegistered)
    }

    // MARK: Which service

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test func checkFollowsTheNewestRegistrationOfItsName() async {
        let numbers = Locked<[Int]>([])
        container.addHealthCheck(of: Int.self, named: .audit) { [numbers] number in
            numbers.withLock { $0.append(number) }
        }
        container.register(1, for: Int.self)
        container.register(2, for: Int.self, named: .audit)
        let newest = container.register(3, for: Int.self, named: .audit)
        #expect(await outcomes(of: container) == ["healthy"])
        container.remove(newest)
        #expect(await outcomes(of: container) == ["healthy"])
        #expect(numbers.current == [3, 2])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test func childRunsTheChecksOfItsParentsOnItsOwnServices() async {
        register(.scoped)
        container.addHealthCheck(of: Tracked.self) { _ in }
        container.addHealthCheck(of: Int.self) { #expect($0 == 7) }
        let child = container.makeChild()
        child.register(7, for: Int.self)
        child.addHealthCheck(of: Int.self, for: .liveness) { _ in throw Unreachable() }
        _ = child.resolve(Tracked.self)
        let health = await child.health(within: .seconds(patience))
        #expect(health.results.map(\.status.description) == ["healthy", "healthy", "unhealthy: Unreachable()"])
        #expect(!health.isAlive)
        // The parent has no instance, and no registration of the number.
        let own = await container.health(within: .seconds(patience))
        #expect(own.results.count == 2 && own.results[0].status.description == "not created" && !own.isReady)
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test func tokenRemovesACheck() async {
        container.register(1, for: Int.self)
        let check = container.addHealthCheck(of: Int.self) { _ in throw Unreachable() }
        container.addHealthCheck(of: Int.self) { _ in }
        container.remove(check)
        #expect(await outcomes(of: container) == ["healthy"])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test func reportNamesServiceProbeAndPlace() async {
        container.register(1, for: Int.self, named: .audit)
        container.addHealthCheck(of: Int.self, named: .audit, for: .liveness) { _ in }
        let line = #line - 1
        let health = await container.health(within: .seconds(patience))
        #expect(
            health.description
                == "'Swift.Int' named \"audit\" (liveness, HopoateServerTests/HealthTests.swift:\(line)): healthy")
    }

    // MARK: Time

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test func checksRunConcurrently() async {
        container.register(1, for: Int.self)
        let (first, second) = (AsyncSignal(), AsyncSignal())
        container.addHealthCheck(of: Int.self) { _ in
            first.raise()
            await second.wait()
        }
        container.addHealthCheck(of: Int.self) { _ in
            await first.wait()
            second.raise()
        }
        #expect(await outcomes(of: container) == ["healthy", "healthy"])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test func checkThatHangsIsCancelledAndDelaysNothing() async {
        let clock = ManualClock()
        let (isHanging, isCancelled, goOn, hasEnded) = (AsyncSignal(), AsyncSignal(), AsyncSignal(), AsyncSignal())
        container.register(1, for: Int.self)
        container.addHealthCheck(of: Int.self) { _ in }
        container.addHealthCheck(of: Int.self, for: .liveness) { _ in
            await withTaskCancellationHandler {
                isHanging.raise()
                await goOn.wait()
            } onCancel: {
                isCancelled.raise()
            }
            hasEnded.raise()
        }
        let report = Task { [container] in await container.health(within: .seconds(1), clock: clock) }
        await isHanging.wait()
        #expect(await eventually { clock.sleepers == 1 })
        clock.advance(by: .seconds(1))
        let health = await report.value
        #expect(health.results.map(\.status.description) == ["healthy", "timed out"])
        #expect(!health.isReady && !health.isAlive)
        await isCancelled.wait()
        // Its end comes too late, and changes nothing.
        goOn.raise()
        await hasEnded.wait()
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test func timerEndsWithTheChecks() async {
        let clock = ManualClock()
        container.register(1, for: Int.self)
        container.addHealthCheck(of: Int.self) { _ in }
        let health = await container.health(within: .seconds(1), clock: clock)
        #expect(health.isReady)
        #expect(await eventually { clock.sleepers == 0 })
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test func cancelledCallerGetsItsReportAtOnce() async {
        let (isHanging, goOn) = (AsyncSignal(), AsyncSignal())
        container.register(1, for: Int.self)
        container.addHealthCheck(of: Int.self) { _ in
            isHanging.raise()
            await goOn.wait()
        }
        let report = Task { [container] in await container.health(within: .seconds(patience), clock: ManualClock()) }
        await isHanging.wait()
        report.cancel()
        #expect(await report.value.results.map(\.status.description) == ["timed out"])
        goOn.raise()
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test func hangingCheckKeepsItsServiceAndNotTheContainer() async {
        let clock = ManualClock()
        let (isHanging, goOn) = (AsyncSignal(), AsyncSignal())
        weak var dropped: DependencyContainer?
        do {
            let container = DependencyContainer()
            dropped = container
            container.register(tracker.make(), for: Tracked.self)
            container.addHealthCheck(of: Tracked.self) { service in
                isHanging.raise()
                await goOn.wait()
                #expect(service.isIntact)
            }
            let report = Task { [container] in await container.health(within: .seconds(1), clock: clock) }
            await isHanging.wait()
            #expect(await eventually { clock.sleepers == 1 })
            clock.advance(by: .seconds(1))
            _ = await report.value
        }
        #expect(await eventually { dropped == nil })
        #expect(tracker.live == 1)
        goOn.raise()
        await expectGone(tracker)
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test func manyReportsAtOnceEachSeeAllChecks() async {
        container.register(1, for: Int.self)
        for number in 0..<8 {
            container.addHealthCheck(of: Int.self) { _ in
                await Task.yield()
                if number == 3 { throw Unreachable() }
            }
        }
        await withTaskGroup(of: [String].self) { group in
            for _ in 0..<rounds(50) { group.addTask { await outcomes(of: container) } }
            for await outcomes in group {
                #expect(outcomes.count == 8 && outcomes.filter { $0 == "healthy" }.count == 7)
            }
        }
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.max) * 4])
    func limitThatNoClockCanAddMeansNoLimit(limit: Duration) async {
        container.register(1, for: Int.self)
        container.addHealthCheck(of: Int.self) { _ in try await Task.sleep(for: .milliseconds(20)) }
        #expect(await container.health(within: limit).results.map(\.status.description) == ["healthy"])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test(arguments: [Duration.seconds(Int64.min), .seconds(Int64.min) * 4])
    func limitBelowZeroIsOver(limit: Duration) async {
        let goOn = AsyncSignal()
        container.register(1, for: Int.self)
        container.addHealthCheck(of: Int.self) { _ in await goOn.wait() }
        #expect(await container.health(within: limit).results.map(\.status.description) == ["timed out"])
        goOn.raise()
    }

    // MARK: One question

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test func livenessRunsOnlyItsOwnChecks() async {
        container.register(1, for: Int.self)
        container.addHealthCheck(of: Int.self) { _ in Issue.record("a check for readiness runs") }
        let child = container.makeChild()
        child.register("", for: String.self)
        child.addHealthCheck(of: String.self, for: .liveness) { _ in throw Unreachable() }
        let health = await child.health(for: .liveness, within: .seconds(patience))
        #expect(health.results.map { ObjectIdentifier($0.service) } == [ObjectIdentifier(String.self)])
        #expect(!health.isAlive && !health.isReady)
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test func readinessRunsAllChecks() async {
        container.register(1, for: Int.self)
        container.addHealthCheck(of: Int.self, for: .liveness) { _ in throw Unreachable() }
        container.addHealthCheck(of: Int.self) { _ in }
        let health = await container.health(for: .readiness, within: .seconds(patience))
        #expect(health.results.map(\.status.description) == ["unhealthy: Unreachable()", "healthy"])
        #expect(!health.isReady)
    }

    // MARK: The end

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test func containerThatWasShutDownIsAliveButNotReady() async throws {
        container.register(1, for: Int.self)
        container.addHealthCheck(of: Int.self, for: .liveness) { _ in }
        let child = container.makeChild()
        try await container.shutdown()
        for health in [await container.health(within: .seconds(1)), await child.health(within: .seconds(1))] {
            #expect(!health.isReady && health.isAlive && health.isShutDown)
            #expect(health.description == "The container was shut down.")
        }
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test(arguments: DependencyHealth.Probe.allCases) func checkThatFailsBecauseOfAShutdownLeavesTheProcessAlive(
        probe: DependencyHealth.Probe
    ) async {
        let (isRunning, goOn) = (AsyncSignal(), AsyncSignal())
        container.register(1, for: Int.self)
        container.addHealthCheck(of: Int.self, for: .liveness) { _ in
            isRunning.raise()
            await goOn.wait()
            throw Unreachable()
        }
        let report = Task { [container] in
            await container.health(for: probe, within: .seconds(patience), clock: ManualClock())
        }
        await isRunning.wait()
        try? await container.shutdown()
        goOn.raise()
        let health = await report.value
        #expect(health.results.map(\.status.description) == ["unhealthy: Unreachable()"])
        #expect(!health.isReady && health.isAlive && health.isShutDown)
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @Test func checkMayShutTheContainerDown() async {
        container.register(1, for: Int.self)
        container.addHealthCheck(of: Int.self) { [container] _ in try await container.shutdown() }
        #expect(await outcomes(of: container) == ["healthy"])
    }
}
