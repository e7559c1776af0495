import Hopoate
import HopoateServer
import Testing

/// A shutdown with limits: hooks that do not end, and calls at awkward times.
@Suite struct ShutdownLimitTests {
    private struct Refused: Error {}
    private final class Database: Sendable {}
    private final class Cache: Sendable {}

    private let container = DependencyContainer()
    private let journal = Locked<[String]>([])
    private let began = AsyncSignal()
    private let mayEnd = AsyncSignal()

    /// Registers a service of a closure, and creates it.
    private func make(
        _ name: DependencyName, onDispose: (@Sendable (Int) throws -> Void)? = nil,
        onAsyncDispose: (@Sendable (Int) async throws -> Void)? = nil
    ) {
        container.register(
            Int.self, named: name, factory: { _ in 7 }, onDispose: onDispose, onAsyncDispose: onAsyncDispose)
        _ = container.resolve(Int.self, named: name)
    }

    /// Creates a service whose hook ignores its cancellation, until the test lets it end.
    private func makeHanging(_ name: DependencyName, throwing error: (any Error)? = nil) {
        make(
            name,
            onAsyncDispose: { [journal, began, mayEnd] _ in
                began.raise()
                await mayEnd.wait()
                journal.withLock { $0.append(Task.isCancelled ? "cancelled \(name)" : "end \(name)") }
                if let error { throw error }
            })
    }

    /// Starts a shutdown, and returns its error.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    private func shutDown(
        limit: Duration? = nil, hookLimit: Duration? = nil, by time: TestTime = TestTime()
    ) -> Task<DependencyShutdownError?, Never> {
        Task { [container] in
            do throws(DependencyShutdownError) {
                try await container.shutdown(limit: limit, hookLimit: hookLimit, by: time)
                return nil
            } catch {
                return error
            }
        }
    }

    // MARK: - Limits

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aHookThatExceedsItsLimitIsCancelledAndNamed() async throws {
        let time = TestTime()
        make("older", onAsyncDispose: { [journal] _ in journal.withLock { $0.append("older") } })
        makeHanging("main")
        let shutdown = shutDown(hookLimit: .seconds(5), by: time)
        await began.wait()
        time.advance(by: .seconds(4))
        #expect(journal.current == [])
        time.advance(by: .milliseconds(1500))
        let error = try #require(await shutdown.value)
        #expect(error.failures.isEmpty && error.unfinished.count == 1)
        let hook = try #require(error.unfinished.first)
        #expect(hook.service == Int.self && hook.name == "main" && hook.duration == .milliseconds(5500))
        let place = try #require(hook.place)
        #expect(place.hasPrefix("HopoateServerTests/ShutdownLimitTests.swift:"))
        #expect(
            error.description == """
                Shutdown ended without 1 disposal hook. Let a hook end when its task is cancelled, or raise the limit:
                  'Swift.Int named "main"', registered at \(place): cancelled after 5.5 seconds
                """)
        // The next level ran.
        #expect(journal.current == ["older"])
        mayEnd.raise()
        #expect(await eventually { journal.current == ["older", "cancelled main"] })
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test(arguments: [true, false]) func limitsHoldForHooksThatBeganBefore(ofEachHook: Bool) async throws {
        let time = TestTime()
        makeHanging("main")
        container.removeAll()
        make("older", onDispose: { [journal] _ in journal.withLock { $0.append("older") } })
        await began.wait()
        let shutdown = ofEachHook ? shutDown(hookLimit: .seconds(5), by: time) : shutDown(limit: .seconds(5), by: time)
        #expect(await eventually { container.isSealed && time.sleepers == 1 })
        time.advance(by: .seconds(4))
        #expect(journal.current == [])
        time.advance(by: .seconds(2))
        let error = try #require(await shutdown.value)
        #expect(error.failures.isEmpty && error.unfinished.count == 1)
        let hook = try #require(error.unfinished.first)
        #expect(hook.name == "main" && hook.duration == .seconds(6))
        #expect(journal.current == ["older"])
        mayEnd.raise()
        #expect(await eventually { journal.current == ["older", "cancelled main"] })
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aHookThatEndsWhenItIsCancelledIsUnfinishedToo() async throws {
        let time = TestTime()
        make(
            "main",
            onAsyncDispose: { [began] _ in
                began.raise()
                await time.sleep(until: .seconds(1_000_000))
                try Task.checkCancellation()
            })
        let shutdown = shutDown(hookLimit: .seconds(5), by: time)
        await began.wait()
        time.advance(by: .seconds(5))
        let error = try #require(await shutdown.value)
        #expect(error.failures.isEmpty && error.unfinished.map(\.duration) == [.seconds(5)])
        #expect(await eventually { time.sleepers == 0 })
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func theErrorOfALateHookIsIgnored() async throws {
        let time = TestTime()
        makeHanging("main", throwing: Refused())
        let shutdown = shutDown(hookLimit: .seconds(5), by: time)
        await began.wait()
        time.advance(by: .seconds(5))
        let error = try #require(await shutdown.value)
        mayEnd.raise()
        #expect(await eventually { journal.current == ["cancelled main"] })
        #expect(error.failures.isEmpty && error.unfinished.count == 1)
        try await container.shutdown()
        #expect(journal.current == ["cancelled main"])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func theLimitOverAllCancelsHooksAndStartsNoMore() async throws {
        let time = TestTime()
        make(
            "older", onDispose: { [journal] _ in journal.withLock { $0.append("synchronous older") } },
            onAsyncDispose: { [journal] _ in journal.withLock { $0.append("older") } })
        makeHanging("main")
        let shutdown = shutDown(limit: .seconds(20), hookLimit: .seconds(30), by: time)
        await began.wait()
        time.advance(by: .seconds(20))
        let error = try #require(await shutdown.value)
        #expect(error.unfinished.map(\.name) == ["main", "older"])
        #expect(error.unfinished.map(\.duration) == [.seconds(20), nil])
        #expect(error.description.hasPrefix("Shutdown ended without 2 disposal hooks. "))
        #expect(error.description.hasSuffix(": not started"))
        #expect(journal.current == ["synchronous older"])
        mayEnd.raise()
        #expect(await eventually { journal.current == ["synchronous older", "cancelled main"] })
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test(arguments: [Duration.zero, .seconds(-3), .seconds(Int64.min) * 4])
    func aLimitOfZeroStartsNoAsynchronousHook(limit: Duration) async throws {
        make("b", onAsyncDispose: { [journal] _ in journal.withLock { $0.append("b") } })
        make("a", onDispose: { [journal] _ in journal.withLock { $0.append("a") } })
        let error = try #require(await shutDown(limit: limit).value)
        #expect(error.unfinished.map(\.name) == ["b"] && error.unfinished[0].duration == nil)
        #expect(journal.current == ["a"])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func hooksThatEndInTimeLeaveNothingBehind() async throws {
        let time = TestTime()
        make("b", onAsyncDispose: { [journal] _ in journal.withLock { $0.append("b \(Task.isCancelled)") } })
        make("a", onAsyncDispose: { [journal] _ in journal.withLock { $0.append("a \(Task.isCancelled)") } })
        #expect(await shutDown(limit: .seconds(20), hookLimit: .seconds(5), by: time).value == nil)
        #expect(journal.current == ["a false", "b false"])
        #expect(await eventually { time.sleepers == 0 })
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func theTimeOfTheSystemIsTheDefault() async throws {
        make("a", onAsyncDispose: { [journal] _ in journal.withLock { $0.append("a") } })
        try await container.shutdown(limit: .seconds(3_600), hookLimit: .seconds(3_600))
        #expect(journal.current == ["a"])

        let other = DependencyContainer()
        other.register(Int.self, factory: { _ in 7 }, onAsyncDispose: { [mayEnd] _ in await mayEnd.wait() })
        _ = other.resolve(Int.self)
        let error = await #expect(throws: DependencyShutdownError.self) {
            try await other.shutdown(limit: nil, hookLimit: .milliseconds(1))
        }
        #expect(error?.unfinished.count == 1)
        mayEnd.raise()
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.max) * 4])
    func limitsThatNoClockCanAddMeanNoLimit(limit: Duration) async throws {
        make("a", onAsyncDispose: { [journal] _ in journal.withLock { $0.append("a") } })
        try await container.shutdown(limit: limit, hookLimit: limit)
        #expect(journal.current == ["a"])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test(arguments: [Duration.seconds(Int64.min), .seconds(Int64.min) * 4])
    func hookLimitsBelowZeroCancelAtOnce(limit: Duration) async throws {
        make("a", onAsyncDispose: { [mayEnd] _ in await mayEnd.wait() })
        let error = await #expect(throws: DependencyShutdownError.self) {
            try await container.shutdown(limit: nil, hookLimit: limit)
        }
        #expect(error?.unfinished.map(\.name) == ["a"])
        mayEnd.raise()
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aTimeBeyondAllClocksIsReportedAsTheLongestOne() async throws {
        let time = TestTime()
        makeHanging("a")
        let shutdown = shutDown(hookLimit: .seconds(5), by: time)
        await began.wait()
        time.advance(by: .seconds(Int64.max) * 4)
        let error = try #require(await shutdown.value)
        #expect(error.unfinished.map { "\($0)".contains("cancelled after 3162240000.0 seconds") } == [true])
        #expect(error.report.description.contains(" in 3162240000.0 seconds:"))
        mayEnd.raise()
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func hooksThatThrowInParallelAreAllReported() async throws {
        container.register(Database.self, using: Database.init, onAsyncDispose: { _ in throw Refused() })
        container.register(
            Cache.self, using: Cache.init, onDispose: { _ in throw Refused() }, onAsyncDispose: { _ in throw Refused() }
        )
        make("oldest", onAsyncDispose: { [journal] _ in journal.withLock { $0.append("oldest") } })
        _ = container.resolve(Database.self)
        _ = container.resolve(Cache.self)
        let error = try #require(await shutDown(limit: .seconds(20)).value)
        #expect(error.failures.map { "\($0.service)" } == ["Cache", "Cache", "Database"])
        #expect(error.unfinished.isEmpty)
        #expect(error.description.hasPrefix("Shutdown completed, but 3 disposal hooks failed:\n"))
        #expect(journal.current == ["oldest"])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aMessageNamesUnfinishedAndFailedHooks() async throws {
        let time = TestTime()
        make("a", onDispose: { _ in throw Refused() })
        makeHanging("b")
        let shutdown = shutDown(limit: .seconds(5), by: time)
        await began.wait()
        time.advance(by: .seconds(5))
        let lines = try #require(await shutdown.value).description.split(separator: "\n")
        mayEnd.raise()
        #expect(lines.count == 4 && lines[1].hasSuffix(": cancelled after 5.0 seconds"))
        #expect(lines[2] == "1 disposal hook failed:" && lines[3] == "  'Swift.Int' threw: Refused()")
    }

    // MARK: - The caller

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aCancelledCallerStillDisposes() async throws {
        make(
            "a",
            onAsyncDispose: { [journal, began, mayEnd] _ in
                began.raise()
                await mayEnd.wait()
                journal.withLock { $0.append("a \(Task.isCancelled)") }
            })
        let shutdown = shutDown(limit: .seconds(20))
        shutdown.cancel()
        await began.wait()
        mayEnd.raise()
        #expect(await shutdown.value == nil)
        #expect(journal.current == ["a false"])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @MainActor @Test func synchronousHooksRunOnTheActorOfTheCaller() async throws {
        make(
            "b",
            onDispose: { [journal] _ in
                MainActor.preconditionIsolated()
                journal.withLock { $0.append("b") }
            })
        make("a", onAsyncDispose: { [journal] _ in journal.withLock { $0.append("a") } })
        try await container.shutdown(limit: .seconds(600))
        #expect(journal.current == ["a", "b"])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aSecondCallReturnsWhileTheFirstOneRuns() async throws {
        makeHanging("main")
        let first = shutDown(limit: .seconds(20))
        await began.wait()
        #expect(await shutDown(limit: .seconds(20)).value == nil)
        try await container.shutdown()
        #expect(journal.current == [])
        mayEnd.raise()
        #expect(await first.value == nil)
        #expect(journal.current == ["end main"])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aHookMayShutItsContainerDown() async throws {
        let container = container
        make(
            "a",
            onAsyncDispose: { [journal] _ in
                try await container.shutdown(limit: .seconds(600))
                try await container.shutdown()
                journal.withLock { $0.append("a") }
            })
        #expect(await shutDown(limit: .seconds(20)).value == nil)
        #expect(journal.current == ["a"])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func hooksThatResolveGetTheTypedError() async throws {
        let container = container
        container.register("text", for: String.self)
        make("a", onAsyncDispose: { _ in _ = try container.require(String.self) })
        let error = try #require(await shutDown(limit: .seconds(20)).value)
        #expect((error.failures.first?.error as? DependencyError)?.reason == .shutDown)
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aContainerMayBeDroppedWhileItIsShutDown() async throws {
        weak var dropped: DependencyContainer?
        let shutdown: Task<Void, any Error>
        do {
            let container = DependencyContainer()
            dropped = container
            container.register(
                Int.self, factory: { _ in 7 },
                onAsyncDispose: { [journal, began, mayEnd] _ in
                    began.raise()
                    await mayEnd.wait()
                    journal.withLock { $0.append("end") }
                })
            _ = container.resolve(Int.self)
            shutdown = Task { try await container.shutdown(limit: .seconds(20), hookLimit: nil, by: TestTime()) }
        }
        await began.wait()
        mayEnd.raise()
        try await shutdown.value
        #expect(await eventually { dropped == nil })
        #expect(journal.current == ["end"])
    }

    // MARK: - Creations and children

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aCreationInFlightEndsWithAnErrorAndItsInstanceIsDisposedOf() async throws {
        container.register(
            Int.self,
            factory: { [began, mayEnd] _ async in
                began.raise()
                await mayEnd.wait()
                return 7
            }, onAsyncDispose: { [journal] _ in journal.withLock { $0.append("disposed of") } })
        let container = container
        let caller = Task {
            await failure { () async throws(DependencyError) in try await container.asyncResolve(Int.self) }?.reason
        }
        await began.wait()
        // It does not wait for the creation.
        #expect(await shutDown(limit: .seconds(20)).value == nil)
        mayEnd.raise()
        #expect(await caller.value == .shutDown)
        #expect(await eventually { journal.current == ["disposed of"] })
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aShutdownDuringWarmUpEndsIt() async throws {
        make("first", onAsyncDispose: { [journal] _ in journal.withLock { $0.append("first") } })
        container.register(
            String.self,
            factory: { [began, mayEnd] _ async in
                began.raise()
                await mayEnd.wait()
                return "text"
            }, onAsyncDispose: { [journal] _ in journal.withLock { $0.append("disposed of") } })
        container.register(Bool.self) { [journal] _ in
            journal.withLock { $0.append("created late") }
            return true
        }
        let container = container
        let warmUp = Task { await failure { () async throws(DependencyError) in try await container.warmUp() }?.reason }
        await began.wait()
        #expect(await shutDown(limit: .seconds(20)).value == nil)
        mayEnd.raise()
        #expect(await warmUp.value == .shutDown)
        #expect(await eventually { journal.current == ["first", "disposed of"] })
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aFactoryMayShutItsContainerDown() async throws {
        make("first", onAsyncDispose: { [journal] _ in journal.withLock { $0.append("first") } })
        container.register(
            String.self,
            factory: { container async throws in
                try await container.shutdown(limit: .seconds(600))
                return "text"
            }, onAsyncDispose: { [journal] _ in journal.withLock { $0.append("disposed of") } })
        let container = container
        let error = await failure { () async throws(DependencyError) in try await container.asyncResolve(String.self) }
        #expect(error?.reason == .shutDown)
        #expect(await eventually { journal.current == ["first", "disposed of"] })
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aChildInUseKeepsItsInstancesAndItsHooks() async throws {
        make("of the parent", onAsyncDispose: { [journal] _ in journal.withLock { $0.append("parent") } })
        container.register(
            Cache.self, lifetime: .scoped, using: Cache.init,
            onAsyncDispose: { [journal] _ in journal.withLock { $0.append("child") } })
        let child = container.makeChild()
        let cache = child.resolve(Cache.self)
        #expect(await shutDown(limit: .seconds(20)).value == nil)
        #expect(journal.current == ["parent"])
        // The registration is gone, but not the instance.
        let reason = failure { () throws(DependencyError) in try child.require(Cache.self) }?.reason
        #expect(reason == .shutDown)
        try await child.shutdown(limit: .seconds(20))
        #expect(journal.current == ["parent", "child"])
        withExtendedLifetime(cache) {}
    }
}
