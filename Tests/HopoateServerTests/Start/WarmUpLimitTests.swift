import Hopoate
import HopoateServer
import Testing

/// Warming up in parallel and with limits: the order, failures, creations that do not end, and cancellation.
@Suite struct WarmUpLimitTests {
    private struct Refused: Error {}
    private final class Database: Sendable {}
    private final class Cache: Sendable {}
    private final class Orders: Sendable {
        init(_ database: Database, _ cache: Cache) {}
    }
    private final class Customers: Sendable {
        init(_ orders: Orders) {}
    }

    private let container = DependencyContainer()
    private let journal = Locked<[String]>([])
    private let began = AsyncSignal()
    private let mayEnd = AsyncSignal()

    private func note(_ line: String) { journal.withLock { $0.append(line) } }

    /// Registers a database of which the creation ignores its cancellation, until the test lets it end.
    private func registerHangingDatabase(onDispose: (@Sendable (Database) throws -> Void)? = nil) {
        container.register(
            Database.self,
            factory: { [began, mayEnd] _ async in
                began.raise()
                await mayEnd.wait()
                return Database()
            }, onDispose: onDispose)
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    private func warmUp(
        limit: Duration? = nil, width: Int = 8, clock: ManualClock = ManualClock()
    ) -> Task<Result<DependencyStartReport, DependencyStartError>, Never> {
        Task { [container] in
            do throws(DependencyStartError) {
                return .success(try await container.warmUp(limit: limit, width: width, clock: clock))
            } catch {
                return .failure(error)
            }
        }
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    private func failure(
        of task: Task<Result<DependencyStartReport, DependencyStartError>, Never>
    ) async throws -> DependencyStartError {
        switch await task.value {
        case .success: throw Refused()
        case .failure(let error): return error
        }
    }

    // MARK: - Order and width

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func independentServicesAreCreatedAtTheSameTime() async throws {
        let (first, second) = (AsyncSignal(), AsyncSignal())
        container.register(Database.self) { _ async in
            first.raise()
            await second.wait()
            return Database()
        }
        container.register(Cache.self) { _ async in
            second.raise()
            await first.wait()
            return Cache()
        }
        let report = try await container.warmUp(limit: nil)
        #expect(report.creations.count == 2)
        _ = (container.resolve(Database.self), container.resolve(Cache.self))
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test(arguments: [1, 2, 3]) func noMoreThanTheWidthAreCreatedAtTheSameTime(width: Int) async throws {
        let counts = Locked((now: 0, most: 0))
        for number in 0..<9 {
            container.register(Int.self, named: DependencyName("\(number)")) { [mayEnd] _ async in
                let isFull = counts.withLock { counts in
                    counts.now += 1
                    counts.most = max(counts.most, counts.now)
                    return counts.now == width
                }
                if isFull { mayEnd.raise() }
                await mayEnd.wait()
                await Task.yield()
                counts.withLock { $0.now -= 1 }
                return number
            }
        }
        try await container.warmUp(limit: nil, width: width)
        #expect(counts.current.most == width)
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aServiceIsCreatedAfterTheParametersOfItsInitializer() async throws {
        container.register(
            Customers.self,
            using: { [self] (orders: Orders) async in
                note("customers")
                return Customers(orders)
            })
        container.register(
            Orders.self, lifetime: .transient, using: { (database: Database, cache: Cache) in Orders(database, cache) })
        container.register(Cache.self, using: Cache.init)
        container.register(Database.self) { [self] _ async in
            await Task.yield()
            note("database")
            return Database()
        }
        let report = try await container.warmUp(limit: nil)
        #expect(journal.current == ["database", "customers"])
        // It was not started before, so it did not wait.
        #expect(report.creations.last?.service.hasSuffix("Customers") == true && report.creations.last?.waits == [])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aSynchronousClosureFindsAllAsynchronousServices() async throws {
        container.register(Cache.self) { container in
            _ = container.resolve(Database.self)
            return Cache()
        }
        container.register(Orders.self, using: Orders.init)
        container.register(Database.self) { _ async in
            await Task.yield()
            return Database()
        }
        try await container.warmUp(limit: nil)
        _ = container.resolve(Orders.self)
    }

    /// An initializer may resolve anything through a container that is its parameter.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func anInitializerWithAContainerFindsAllAsynchronousServices() async throws {
        final class Locator: Sendable {
            let database: Database?
            init(_ container: DependencyContainer) { database = try? container.require(Database.self) }
        }
        container.register(container, for: DependencyContainer.self)
        container.register(Locator.self, using: Locator.init)
        container.register(Database.self) { _ async in
            await Task.yield()
            return Database()
        }
        try await container.warmUp(limit: nil)
        #expect(container.resolve(Locator.self).database != nil)
        container.removeAll()
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func synchronousFactoriesRunOneAtATime() async throws {
        let counts = Locked((now: 0, most: 0))
        // The only way to see a synchronous factory from outside: a parameter that is created asynchronously.
        container.register(Cache.self, lifetime: .transient) { [began, mayEnd] _ async in
            counts.withLock { counts in
                counts.now += 1
                counts.most = max(counts.most, counts.now)
            }
            began.raise()
            await mayEnd.wait()
            counts.withLock { $0.now -= 1 }
            return Cache()
        }
        for number in 0..<3 {
            container.register(
                Int.self, named: DependencyName("\(number)"),
                using: { (_: Cache) in
                    number
                })
        }
        let running = warmUp()
        await began.wait()
        // Time for the others to begin, if they were allowed to.
        for _ in 0..<1_000 { await Task.yield() }
        mayEnd.raise()
        #expect(try await running.value.get().creations.count == 3)
        #expect(counts.current.most == 1)
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aFactoryThatRequiresAMissingAsynchronousServiceRunsAgain() async throws {
        let attempts = Locked(0)
        let hasFailed = AsyncSignal()
        container.register(Cache.self) { container async throws in
            _ = attempts.next()
            do {
                _ = try container.require(Database.self)
            } catch {
                hasFailed.raise()
                throw error
            }
            return Cache()
        }
        container.register(Database.self) { [self] _ async in
            await hasFailed.wait()
            note("database")
            return Database()
        }
        try await container.warmUp(limit: nil)
        #expect(attempts.current == 2)
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func existingInstancesAreNotCreatedAgain() async throws {
        container.register(Database.self) { _ async in Database() }
        container.register(Cache.self) { _ in Cache() }
        let database = try await container.asyncResolve(Database.self)
        let report = try await container.warmUp(limit: nil)
        #expect(report.creations.map(\.service).map { $0.hasSuffix("Cache") } == [true])
        #expect(container.resolve(Database.self) === database)
        #expect(try await container.warmUp(limit: nil).creations.isEmpty)
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func concurrentWarmUpsCreateEachServiceOnce() async throws {
        for _ in 0..<rounds(20) {
            let tracker = Tracker()
            let container = DependencyContainer()
            for number in 0..<8 {
                container.register(Tracked.self, named: DependencyName("\(number)")) { _ async in
                    await Task.yield()
                    return tracker.make()
                }
            }
            try await withThrowingTaskGroup(of: DependencyStartReport.self) { group in
                for _ in 0..<3 { group.addTask { try await container.warmUp(limit: nil, width: 3) } }
                for try await report in group { check(report.creations.count <= 8) }
            }
            check(tracker.made == 8)
        }
    }

    // MARK: - Failures

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func allErrorsAreReportedTogether() async throws {
        container.register(Int.self, named: "a") { _ async throws in throw Refused() }
        container.register(Int.self, named: "b") { _ async in 7 }
        container.register(Int.self, named: "c") { _ async throws in throw Refused() }
        let error = try await failure(of: warmUp())
        #expect(error.failures.map { $0.name?.text } == ["a", "c"])
        #expect(error.failures.allSatisfy { $0.error.underlying is Refused && $0.service == Int.self })
        #expect(error.failures.allSatisfy { $0.place?.hasPrefix("HopoateServerTests/WarmUpLimitTests.swift:") == true })
        #expect(error.unfinished.isEmpty && !error.isCancelled)
        let lines = error.description.split(separator: "\n")
        #expect(lines.first == "The warm-up could not create 2 services:")
        #expect(lines.dropFirst().first?.hasPrefix("  'Swift.Int named \"a\"', registered at ") == true)
        #expect(container.resolve(Int.self, named: "b") == 7)
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func onlyTheServiceThatFailedIsNamed() async throws {
        container.register(Customers.self, using: Customers.init)
        container.register(Orders.self, using: Orders.init)
        container.register(Cache.self) { container async throws in
            _ = try await container.asyncResolve(Database.self)
            return Cache()
        }
        container.register(Database.self) { _ async throws in throw Refused() }
        container.register(Int.self) { [self] container in
            note("closure")
            return 7
        }
        let error = try await failure(of: warmUp())
        #expect(error.failures.map { "\($0.service)" } == ["Database"])
        // It might resolve the database, and trap.
        #expect(journal.current.isEmpty)
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aCycleOfInitializersIsReported() async throws {
        final class Hen: Sendable { init(_ egg: Egg) {} }
        final class Egg: Sendable { init(_ hen: Hen) {} }
        container.register(Hen.self, using: Hen.init)
        container.register(Egg.self, using: Egg.init)
        let error = try await failure(of: warmUp())
        #expect(error.failures.map(\.error.reason) == [.circular])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aCycleOfAsynchronousClosuresIsReported() async throws {
        container.register(Database.self) { container async throws in
            _ = try await container.asyncResolve(Cache.self)
            return Database()
        }
        container.register(Cache.self) { container async throws in
            _ = try await container.asyncResolve(Database.self)
            return Cache()
        }
        let error = try await failure(of: warmUp())
        #expect(!error.failures.isEmpty && error.failures.allSatisfy { $0.error.reason == .circular })
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aServiceThatWaitsForOneThatNobodyCreatesIsReported() async throws {
        let parent = DependencyContainer()
        parent.register(Database.self) { _ async in Database() }
        let child = parent.makeChild()
        child.register(Cache.self) { container throws in
            _ = try container.require(Database.self)
            return Cache()
        }
        let error = await #expect(throws: DependencyStartError.self) { try await child.warmUp(limit: nil) }
        #expect(error?.failures.map { "\($0.service)" } == ["Cache"])
        #expect(error?.failures.first?.error.reason == .onlyAsynchronous)
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func createdServicesStayUntilAShutdownDisposesOfThemInReverseOrder() async throws {
        for number in 0..<3 {
            container.register(Int.self, named: DependencyName("\(number)")) { _ async in
                number
            } onAsyncDispose: { [self] number in
                note("dispose \(number)")
            }
        }
        container.register(Database.self) { _ async throws in throw Refused() }
        _ = try await failure(of: warmUp(width: 1))
        #expect(journal.current.isEmpty && container.resolve(Int.self, named: "2") == 2)
        try await container.shutdown(limit: nil)
        #expect(journal.current == ["dispose 2", "dispose 1", "dispose 0"])
    }

    // MARK: - Limits

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aCreationThatHangsIsNamedWithItsChain() async throws {
        let types = ["Swift.String named \"shop\"", shown(Cache.self), shown(Database.self)]
        var chain: [String] = []
        // The time may be over before the shop has come to its wait, which nobody can see from outside. Then the chain is
        // shorter.
        for attempt in 0..<1_000 where chain.count < types.count {
            chain = try await WarmUpLimitTests().chainOfTheShop(afterYields: attempt)
            #expect(types.starts(with: chain) && !chain.isEmpty)
        }
        #expect(chain == types)
    }

    /// Warms up a container in which a shop waits for a database that hangs.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    private func chainOfTheShop(afterYields yields: Int) async throws -> [String] {
        let clock = ManualClock()
        registerHangingDatabase()
        container.register(Cache.self, lifetime: .transient) { container async throws in
            _ = try await container.asyncResolve(Database.self)
            return Cache()
        }
        container.register(String.self, named: "shop") { [self] container async throws in
            note("shop")
            _ = try await container.asyncResolve(Cache.self)
            return "open"
        }
        let running = warmUp(limit: .seconds(30), clock: clock)
        await began.wait()
        #expect(await eventually { clock.sleepers == 2 && journal.current == ["shop"] })
        for _ in 0..<yields { await Task.yield() }
        clock.advance(by: .seconds(30))
        let error = try await failure(of: running)
        mayEnd.raise()
        #expect(error.failures.isEmpty && error.unfinished.count == 2 && !error.isCancelled)
        #expect(error.unfinished.first { $0.service == Database.self }?.chain == [shown(Database.self)])
        let shop = try #require(error.unfinished.first { $0.service == String.self })
        #expect(shop.name?.text == "shop" && shop.duration == .seconds(30))
        #expect(shop.place?.hasPrefix("HopoateServerTests/WarmUpLimitTests.swift:") == true)
        let end = shop.chain.count > 1 ? ": \(shop.chain.joined(separator: " → "))" : ""
        #expect(shop.description.hasSuffix(": not created after 30.0 seconds\(end)"))
        return shop.chain
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aCreationThatExceedsItsLimitIsCancelled() async throws {
        let clock = ManualClock()
        let isCancelled = AsyncSignal()
        container.register(Database.self) { [began] _ async throws in
            began.raise()
            do {
                // Not the manual clock, so that it has one sleeper.
                try await Task.sleep(for: .seconds(3_600))
            } catch {
                isCancelled.raise()
                throw error
            }
            return Database()
        }
        let running = warmUp(limit: .seconds(5), clock: clock)
        await began.wait()
        #expect(await eventually { clock.sleepers == 1 })
        clock.advance(by: .seconds(5))
        #expect(try await failure(of: running).unfinished.map { "\($0.service)" } == ["Database"])
        await isCancelled.wait()
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func servicesBehindAHangAreSkippedAndOthersAreCreated() async throws {
        let clock = ManualClock()
        registerHangingDatabase()
        container.register(Orders.self, using: Orders.init)
        container.register(Cache.self) { _ async in Cache() }
        container.register(Int.self) { [self] _ in
            note("closure")
            return 7
        }
        let running = warmUp(limit: .seconds(5), clock: clock)
        await began.wait()
        #expect(await eventually { clock.sleepers == 1 })
        clock.advance(by: .seconds(5))
        let error = try await failure(of: running)
        #expect(error.unfinished.map { "\($0.service)" } == ["Database"] && error.failures.isEmpty)
        _ = container.resolve(Cache.self)
        #expect(journal.current.isEmpty)
        mayEnd.raise()
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func theLimitAppliesToEachCreation() async throws {
        let clock = ManualClock()
        for number in 0..<3 {
            container.register(Int.self, named: DependencyName("\(number)")) { _ async throws in
                try await clock.sleep(for: .seconds(4))
                return number
            }
        }
        let running = warmUp(limit: .seconds(5), width: 1, clock: clock)
        for _ in 0..<3 {
            #expect(await eventually { clock.sleepers == 2 })
            clock.advance(by: .seconds(4))
            #expect(await eventually { clock.sleepers != 1 })
        }
        #expect(try await running.value.get().total == .seconds(12))
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.max) * 4])
    func limitsThatNoClockCanAddMeanNoLimit(limit: Duration) async throws {
        container.register(Database.self) { _ async throws in
            try await Task.sleep(for: .milliseconds(20))
            return Database()
        }
        #expect(try await container.warmUp(limit: limit).creations.count == 1)
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test(arguments: [Duration.seconds(Int64.min), .seconds(Int64.min) * 4])
    func limitsBelowZeroLeaveCreationsBehindAtOnce(limit: Duration) async throws {
        registerHangingDatabase()
        let error = await #expect(throws: DependencyStartError.self) { try await container.warmUp(limit: limit) }
        #expect(error?.unfinished.count == 1)
        mayEnd.raise()
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aShutdownDoesNotWaitForACreationThatWasLeftBehind() async throws {
        let isDisposed = AsyncSignal()
        registerHangingDatabase { _ in isDisposed.raise() }
        let running = warmUp()
        await began.wait()
        running.cancel()
        #expect(try await failure(of: running).isCancelled)
        try await container.shutdown(limit: nil)
        mayEnd.raise()
        // The hook runs when the instance exists.
        await isDisposed.wait()
    }

    /// Until its end, the warm-up and the creation know each other.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aCreationThatWasLeftBehindKeepsNothingAfterItsEnd() async throws {
        weak var kept: DependencyContainer?
        do {
            let container = DependencyContainer()
            kept = container
            container.register(Cache.self) { [began, mayEnd] _ async in
                began.raise()
                await mayEnd.wait()
                return Cache()
            }
            let clock = ManualClock()
            let running = Task { try await container.warmUp(limit: .seconds(5), clock: clock) }
            await began.wait()
            #expect(await eventually { clock.sleepers == 1 })
            clock.advance(by: .seconds(5))
            await #expect(throws: DependencyStartError.self) { try await running.value }
            #expect(kept != nil)
            mayEnd.raise()
        }
        #expect(await eventually { kept == nil })
    }

    // MARK: - Cancellation

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func cancellationIsPassedOnToTheCreations() async throws {
        let isCancelled = AsyncSignal()
        container.register(Cache.self) { container async throws in
            _ = try await container.asyncResolve(Database.self)
            return Cache()
        }
        container.register(Database.self) { [began] _ async throws in
            began.raise()
            do { try await Task.sleep(for: .seconds(3_600)) } catch { isCancelled.raise() }
            return Database()
        }
        let running = warmUp()
        await began.wait()
        running.cancel()
        let error = try await failure(of: running)
        #expect(error.isCancelled && error.failures.isEmpty)
        #expect(Set(error.unfinished.map { "\($0.service)" }) == ["Cache", "Database"])
        #expect(error.description.hasPrefix("The warm-up was cancelled.\nLeft behind:\n  '"))
        await isCancelled.wait()
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aCancelledTaskCreatesNothing() async throws {
        let made = Locked(0)
        container.register(Int.self) { _ in made.next() }
        let running = Task { [container, mayEnd] in
            await mayEnd.wait()
            return await #expect(throws: DependencyStartError.self) { try await container.warmUp(limit: nil) }
        }
        running.cancel()
        mayEnd.raise()
        #expect(await running.value?.isCancelled == true)
        #expect(made.current == 0)
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aCreationOfAnotherCallerIsNotCancelled() async throws {
        registerHangingDatabase()
        let caller = Task { [container] in try await container.asyncResolve(Database.self) }
        await began.wait()
        let clock = ManualClock()
        let running = warmUp(limit: .seconds(5), clock: clock)
        #expect(await eventually { clock.sleepers == 1 })
        clock.advance(by: .seconds(5))
        #expect(try await failure(of: running).unfinished.count == 1)
        mayEnd.raise()
        let database = try await caller.value
        #expect(container.resolve(Database.self) === database)
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aShutdownDuringAWarmUpEndsIt() async throws {
        registerHangingDatabase()
        container.register(Orders.self, using: Orders.init)
        container.register(Cache.self) { [self] _ in
            note("cache")
            return Cache()
        }
        let running = warmUp()
        await began.wait()
        try await container.shutdown(limit: nil)
        mayEnd.raise()
        #expect(try await failure(of: running).failures.map(\.error.reason) == [.shutDown])
        #expect(journal.current.isEmpty)
    }
}
