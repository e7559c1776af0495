import Hopoate
import HopoateServer
import Testing

/// The children of a table: when they are made, whom they serve, and when they end.
@Suite struct DependencyChildrenTests {
    private struct Refused: Error {}
    private typealias Counter = Locked<Int>
    private final class Session: Sendable {
        let key: String
        init(_ key: String) { self.key = key }
    }

    private let parent = DependencyContainer()
    private let journal = Journal()
    /// The clock of the tables. The type of the property is not that of the clock, because a suite cannot require a newer system.
    private let anyClock: any Sendable = {
        if #available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *) { ManualClock() } else { () }
    }()

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    private var clock: ManualClock {
        guard let clock = anyClock as? ManualClock else { preconditionFailure("the system is too old") }
        return clock
    }

    /// Returns a table that creates a session with a disposal hook in each child. The hook waits for the signal `end`, if there is one.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    private func makeTable(
        limit: Int = 10, idle: Duration = .seconds(60), until end: AsyncSignal? = nil,
        prepare: @escaping @Sendable (String, DependencyContainer) async throws -> Void = { _, _ in }
    ) -> DependencyChildren<String> {
        DependencyChildren(of: parent, limit: limit, idle: idle, clock: clock) { [journal] key, child in
            journal.note("make \(key)")
            child.register(key, for: String.self)
            child.register(
                Session.self, factory: { c in Session(try c()) },
                onAsyncDispose: { session in
                    journal.note("begin \(session.key)")
                    await end?.wait()
                    journal.note("end \(session.key)")
                })
            _ = try child.require(Session.self)
            try await prepare(key, child)
        } onDisposalFailure: { [journal] key, error in
            journal.note("failed \(key): \(error.failures.count)")
        }
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    private func use(_ table: DependencyChildren<String>, _ key: String) async throws {
        let found = try await table.withChild(for: key) { try $0.require(Session.self).key }
        #expect(found == key)
    }

    /// Lets time pass after the table has begun to wait for it.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    private func pass(_ duration: Duration) async {
        #expect(await eventually { clock.sleepers == 1 })
        clock.advance(by: duration)
    }

    // MARK: - The creation

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aChildIsMadeOnce() async throws {
        let mayEnd = AsyncSignal()
        let table = makeTable { _, _ in await mayEnd.wait() }
        let children = try await withThrowingTaskGroup(of: ObjectIdentifier.self) { group in
            for _ in 0..<50 { group.addTask { try await table.withChild(for: "a") { ObjectIdentifier($0) } } }
            mayEnd.raise()
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        try await use(table, "a")
        #expect(children.count == 1 && journal.lines == ["make a"] && table.keys == ["a"])
    }

    /// A key that counts how often a table has looked it up.
    private struct CountedKey: Hashable {
        let lookups: Counter

        static func == (left: CountedKey, right: CountedKey) -> Bool { left.lookups === right.lookups }
        func hash(into hasher: inout Hasher) {
            _ = lookups.next()
            hasher.combine(ObjectIdentifier(lookups))
        }
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aFailureIsThatOfAllCallersAndIsNotKept() async throws {
        let mayFail = AsyncSignal()
        let (attempts, key) = (Locked(0), CountedKey(lookups: Counter(0)))
        let table = DependencyChildren<CountedKey>(of: parent, limit: 1, idle: .seconds(60), clock: clock) {
            [journal] _, child in
            child.register(Double.self, factory: { _ in 7 }, onAsyncDispose: { _ in journal.note("disposed of") })
            _ = child.resolve(Double.self)
            guard attempts.next() == 1 else { return }
            journal.note("make")
            await mayFail.wait()
            throw Refused()
        } onDisposalFailure: { _, _ in
        }
        let fails: @Sendable () async -> Bool = {
            do {
                try await table.withChild(for: key) { _ in }
                return false
            } catch { return error is Refused }
        }
        let first = Task { await fails() }
        await journal.wait(for: "make")
        // A caller that has looked the key up waits for the creation.
        let lookups = key.lookups.current
        let others = (0..<20).map { _ in Task { await fails() } }
        #expect(await eventually { key.lookups.current >= lookups + 20 })
        mayFail.raise()
        for caller in [first] + others { #expect(await caller.value) }
        #expect(journal.lines == ["make", "disposed of"] && table.keys.isEmpty)
        try await table.withChild(for: key) { _ in }
        #expect(attempts.current == 2)
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aCancelledCallerLeavesAtOnceAndTheOthersGetTheChild() async throws {
        let mayEnd = AsyncSignal()
        let table = makeTable { _, _ in
            await mayEnd.wait()
            #expect(!Task.isCancelled)
        }
        let first = Task { try await table.withChild(for: "a") { _ in } }
        await journal.wait(for: "make a")
        let second = Task { try await table.withChild(for: "a") { try $0.require(String.self) } }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        mayEnd.raise()
        #expect(try await second.value == "a")
        #expect(journal.lines == ["make a"])
    }

    private enum Marks {
        @TaskLocal static var user: String?
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func theClosureSeesNoTaskLocalOfACaller() async throws {
        let table = makeTable { _, _ in #expect(Marks.user == nil) }
        try await Marks.$user.withValue("Grace") {
            try await table.withChild(for: "a") { _ in #expect(Marks.user == "Grace") }
        }
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func theClosureAndHooksOfAChildCannotUseTheTable() async throws {
        let table = Locked<DependencyChildren<String>?>(nil)
        let reasons = Locked<[DependencyChildrenError.Reason]>([])
        let note: @Sendable () async -> Void = {
            do {
                try await table.current?.withChild(for: "other") { _ in }
            } catch {
                if let error = error as? DependencyChildrenError { reasons.withLock { $0.append(error.reason) } }
            }
        }
        let made = makeTable { _, child in
            await note()
            child.register(7, for: Int.self)
            child.register(Double.self, factory: { _ in 7 }, onAsyncDispose: { _ in await note() })
            _ = child.resolve(Double.self)
        }
        table.withLock { $0 = made }
        try await use(made, "a")
        await pass(.seconds(60))
        await journal.wait(for: "end a")
        #expect(reasons.current == [.nested, .nested])
        _ = table.take()
    }

    // MARK: - Idle children

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func anIdleChildEndsAndTheNextCallMakesANewOne() async throws {
        let table = makeTable(idle: .seconds(60))
        try await use(table, "a")
        await pass(.seconds(59))
        #expect(table.keys == ["a"])
        try await use(table, "a")
        await pass(.seconds(1))
        await pass(.seconds(58))
        #expect(journal.lines == ["make a"])
        await pass(.seconds(8))
        await journal.wait(for: "end a")
        #expect(await eventually { table.keys.isEmpty })
        try await use(table, "a")
        #expect(journal.lines == ["make a", "begin a", "end a", "make a"])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aChildInUseIsNotIdle() async throws {
        let table = makeTable(idle: .seconds(60))
        let mayEnd = AsyncSignal()
        let began = AsyncSignal()
        try await table.withChild(for: "a") { _ in
            for _ in 0..<5 { await pass(.seconds(60)) }
        }
        // A job of a request outlives the call.
        let job = try await table.withChild(for: "a") { tenant in
            try await tenant.withChild { _ in
            } operation: { request in
                try request.startJob { job in
                    began.raise()
                    await mayEnd.wait()
                    return try job.require(Session.self).key
                }
            }
        }
        await began.wait()
        for _ in 0..<5 { await pass(.seconds(60)) }
        #expect(journal.lines == ["make a"])
        mayEnd.raise()
        #expect(try await job.value == "a")
        // At the next look or the one after it, because the end of the job is not noted.
        let hasEnded = await eventually {
            if clock.sleepers == 1 { clock.advance(by: .seconds(60)) }
            return journal.lines.contains("end a")
        }
        #expect(hasEnded)
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aChildThatItsUserHasShutDownIsMadeAnew() async throws {
        let table = makeTable()
        try await table.withChild(for: "a") { try await $0.shutdown() }
        try await use(table, "a")
        #expect(journal.lines == ["make a", "begin a", "end a", "make a"])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func errorsOfHooksAreReportedWithTheKey() async throws {
        let table = makeTable { _, child in
            child.register(Double.self, factory: { _ in 7 }, onDispose: { _ in throw Refused() })
            _ = child.resolve(Double.self)
        }
        try await use(table, "a")
        await pass(.seconds(60))
        await journal.wait(for: "failed a: 1")
    }

    // MARK: - The limit

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func theChildThatWasUsedLeastRecentlyMakesRoom() async throws {
        let table = makeTable(limit: 2)
        try await use(table, "a")
        clock.advance(by: .seconds(1))
        try await use(table, "b")
        clock.advance(by: .seconds(1))
        try await use(table, "a")
        try await use(table, "c")
        #expect(journal.lines == ["make a", "make b", "begin b", "end b", "make c"])
        #expect(Set(table.keys) == ["a", "c"])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aCallThrowsIfAllChildrenAreInUse() async throws {
        let table = makeTable(limit: 1)
        try await table.withChild(for: "a") { _ in
            let error = try await #require(throws: DependencyChildrenError.self) { try await use(table, "b") }
            #expect(error.reason == .full)
            #expect(
                error.description.hasPrefix(
                    "There is no child container for 'String b' in the table of HopoateServerTests/"))
            #expect(error.description.hasSuffix(": all 1 are in use. Answer with status 503, or raise the limit."))
            try await use(table, "a")
        }
        try await use(table, "b")
        #expect(table.keys == ["b"])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aCallWaitsForTheHooksOfTheChildThatMakesRoom() async throws {
        let mayEnd = AsyncSignal()
        let table = makeTable(limit: 1, until: mayEnd)
        try await use(table, "a")
        let next = Task { try await use(table, "b") }
        await journal.wait(for: "begin a")
        let cancelled = Task { try await use(table, "a") }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(journal.lines == ["make a", "begin a"])
        mayEnd.raise()
        try await next.value
        #expect(journal.lines == ["make a", "begin a", "end a", "make b"])
    }

    #if compiler(>=6.2)
        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        @Test func aLimitOrAnIdleTimeOfZeroTraps() async {
            let limit = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = DependencyChildren<Int>(
                    limit: 0, idle: .seconds(1), prepare: { _, _ in }, onDisposalFailure: { _, _ in })
            }
            expectSaid(limit, ["The limit of child containers is 0. Pass at least 1."])
            let idle = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = DependencyChildren<Int>(limit: 1, idle: .zero, prepare: { _, _ in }, onDisposalFailure: { _, _ in })
            }
            expectSaid(idle, ["The idle time of child containers is 0.0 seconds. Pass more than zero."])
        }
    #endif

    // MARK: - The end of the parent

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test(arguments: [false, true]) func childrenEndBeforeTheirParent(limited: Bool) async throws {
        let table = makeTable()
        parent.register(Double.self, factory: { _ in 7 }, onDispose: { [journal] _ in journal.note("parent") })
        try await table.withChild(for: "a") { child in
            // The parent's instance is newer than that of the child.
            _ = try child.require(Double.self)
            try await use(table, "b")
            // The children are in use.
            if limited {
                let report = try await parent.shutdown(limit: .seconds(20))
                #expect(report.entries.map(\.level) == [1, 1, 2])
            } else {
                try await parent.shutdown()
            }
            #expect(throws: DependencyError.self) { try child.require(Session.self) }
        }
        #expect(journal.lines.last == "parent" && Set(journal.lines).isSuperset(of: ["end a", "end b"]))
        let error = try await #require(throws: DependencyChildrenError.self) { try await use(table, "a") }
        #expect(error.reason == .shutDown && table.keys.isEmpty)
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func theLimitsOfAShutdownHoldForChildren() async throws {
        let mayEnd = AsyncSignal()
        let table = makeTable(until: mayEnd)
        try await use(table, "a")
        let time = TestTime()
        let shutdown = Task { [parent] in
            try await parent.shutdown(limit: nil, hookLimit: .seconds(5), by: time)
        }
        await journal.wait(for: "begin a")
        time.advance(by: .seconds(5))
        let error = try await #require(throws: DependencyShutdownError.self) { try await shutdown.value }
        #expect(error.unfinished.map { "\($0.service)" } == ["Session"])
        mayEnd.raise()
        await journal.wait(for: "end a")
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aShutdownAwaitsAChildThatIsEnding() async throws {
        let mayEnd = AsyncSignal()
        let table = makeTable(until: mayEnd)
        parent.register(Double.self, factory: { _ in 7 }, onDispose: { [journal] _ in journal.note("parent") })
        _ = parent.resolve(Double.self)
        try await use(table, "a")
        await pass(.seconds(60))
        await journal.wait(for: "begin a")
        let shutdown = Task { [parent] in try await parent.shutdown() }
        let waiter = Task { try await use(table, "a") }
        #expect(await eventually { parent.isSealed })
        #expect(journal.lines == ["make a", "begin a"])
        mayEnd.raise()
        try await shutdown.value
        #expect(journal.lines == ["make a", "begin a", "end a", "parent"])
        await #expect(throws: DependencyChildrenError.self) { try await waiter.value }
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aShutdownAwaitsTheInstancesThatHaveLeftAChild() async throws {
        let mayEnd = AsyncSignal()
        let table = makeTable(until: mayEnd)
        try await table.withChild(for: "a") { child in
            // The registration leaves, and its hook runs in the background.
            child.removeAll()
            await journal.wait(for: "begin a")
        }
        let shutdown = Task { [parent, journal] in
            try await parent.shutdown()
            journal.note("shut down")
        }
        #expect(await eventually { parent.isSealed })
        mayEnd.raise()
        try await shutdown.value
        #expect(journal.lines == ["make a", "begin a", "end a", "shut down"])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aHookOfAChildMayShutTheParentDown() async throws {
        let table = makeTable { [parent] _, child in
            child.register(Double.self, factory: { _ in 7 }, onAsyncDispose: { _ in try await parent.shutdown() })
            _ = child.resolve(Double.self)
        }
        try await use(table, "a")
        await pass(.seconds(60))
        await journal.wait(for: "end a")
        #expect(parent.isSealed)
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aChildThatIsMadeDuringTheShutdownIsEnded() async throws {
        let mayEnd = AsyncSignal()
        let table = makeTable { [journal] _, _ in
            journal.note("wait")
            await mayEnd.wait()
        }
        let caller = Task { try await use(table, "a") }
        await journal.wait(for: "wait")
        try await parent.shutdown()
        mayEnd.raise()
        let error = try await #require(throws: DependencyChildrenError.self) { try await caller.value }
        #expect(error.reason == .shutDown)
        #expect(journal.lines == ["make a", "wait", "begin a", "end a"] && table.keys.isEmpty)
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aTableOfAParentThatWasShutDownHasNoChildren() async throws {
        try await parent.shutdown()
        let table = makeTable()
        let error = try await #require(throws: DependencyChildrenError.self) { try await use(table, "a") }
        #expect(
            error.reason == .shutDown && error.description.contains("its parent was shut down, or no longer exists"))
    }

    // MARK: - Lives

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aTableThatIsReleasedEndsItsChildren() async throws {
        var table: DependencyChildren<String>? = makeTable()
        try await use(#require(table), "a")
        table = nil
        await journal.wait(for: "end a")
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aTableKeepsNeitherItsParentNorAChildThatHasEnded() async throws {
        let tracker = Tracker()
        do {
            let app = DependencyContainer()
            app.register(tracker.make(), for: Tracked.self)
            let table = DependencyChildren<Int>(of: app, limit: 2, idle: .seconds(60), clock: clock) { key, child in
                child.register(tracker.make(key), for: Tracked.self)
            } onDisposalFailure: { _, _ in
            }
            app.register(table, for: DependencyChildren<Int>.self)
            let number = try await table.withChild(for: 7) { try $0.require(Tracked.self).number }
            #expect(number == 7 && tracker.live == 2)
            await pass(.seconds(60))
            let isAlone = await eventually { tracker.live == 1 }
            #expect(isAlone)
        }
        // The registration of the table and its reference to the parent are no cycle.
        await expectGone(tracker)
    }
}

/// The children of a table under load: nothing of one of them in another, and never two of one key.
@Suite struct DependencyChildrenLoadTests {
    private struct Refused: Error {}
    private struct Scoped: Sendable { let key: Int }
    private struct Transient: Sendable { let scoped: Scoped, key: Int }
    private final class Shared: Sendable {
        let key: Int
        let lazy: LazyDependency<Int>

        init(_ key: Int, _ lazy: LazyDependency<Int>) {
            self.key = key
            self.lazy = lazy
        }
    }

    /// What a request of a key found that belongs to another one.
    private static func strangers(to key: Int, in tenant: DependencyContainer) async throws -> Int {
        try await tenant.withChild { request in
            request.register("\(key)", for: String.self)
        } operation: { request in
            await Task.yield()
            let shared = try await request.asyncResolve(Shared.self)
            let found = [
                try request.require(Int.self), try request.require(Scoped.self).key,
                try request.require(Transient.self).key,
                try request.require(Transient.self).scoped.key, shared.key, shared.lazy.wrappedValue,
                Int(try request.require(String.self)) ?? -1,
            ]
            return found.count { $0 != key }
        }
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func nothingOfOneKeyIsFoundInAnother() async throws {
        let (parent, clock) = (DependencyContainer(), ManualClock())
        parent.register(Scoped.self, lifetime: .scoped) { c in Scoped(key: try c()) }
        parent.register(Transient.self, lifetime: .transient) { c in Transient(scoped: try c(), key: try c()) }
        // For each key: the children that are alive, the most of them, those that were made, and those that have ended.
        let attempts = Locked(0)
        let lives = Locked<[Int: (alive: Int, most: Int, made: Int, ended: Int)]>([:])
        let table = DependencyChildren<Int>(of: parent, limit: 5, idle: .seconds(8), clock: clock) { key, tenant in
            lives.withLock { lives in
                var life = lives[key, default: (0, 0, 0, 0)]
                life.alive += 1
                life.most = max(life.most, life.alive)
                life.made += 1
                lives[key] = life
            }
            tenant.register(key, for: Int.self)
            tenant.register(
                Shared.self,
                factory: { c async throws in
                    await Task.yield()
                    return Shared(try c(), LazyDependency<Int>(container: c))
                },
                onAsyncDispose: { shared in
                    await Task.yield()
                    lives.withLock {
                        $0[shared.key]?.alive -= 1; $0[shared.key]?.ended += 1
                    }
                })
            _ = try await tenant.asyncResolve(Shared.self)
            if attempts.next() % 5 == 3 { throw Refused() }
        } onDisposalFailure: { _, _ in
        }
        let (strangers, refused, most) = (Locked(0), Locked(0), Locked(0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    for step in 0..<200 {
                        let key = (worker &* 31 &+ step &* 17) % 9
                        do {
                            let found = try await table.withChild(for: key) {
                                try await Self.strangers(to: key, in: $0)
                            }
                            strangers.withLock { $0 += found }
                        } catch let error as DependencyChildrenError where error.reason == .full {
                            _ = refused.next()
                        } catch is Refused {
                        }
                        let count = table.keys.count
                        most.withLock { $0 = max($0, count) }
                        if step % 5 == 0 { clock.advance(by: .seconds(1)) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(strangers.current == 0)
        #expect(most.current <= 5)
        #expect(lives.current.values.allSatisfy { $0.most == 1 })
        #expect(lives.current.values.reduce(0) { $0 + $1.made } > 9)
        try await parent.shutdown()
        #expect(lives.current.values.allSatisfy { $0.alive == 0 && $0.made == $0.ended })
        #expect(table.keys.isEmpty && refused.current < 8 * 200)
    }
}

/// Lines in the order in which they were noted.
final class Journal: Sendable {
    private let state = Locked((lines: [String](), waiters: [(line: String, signal: AsyncSignal)]()))

    var lines: [String] { state.current.lines }

    func note(_ line: String) {
        let waiters = state.withLock { state in
            state.lines.append(line)
            return state.waiters.filter { $0.line == line }
        }
        for waiter in waiters { waiter.signal.raise() }
    }

    /// Waits until a line was noted.
    func wait(for line: String) async {
        let signal = AsyncSignal()
        state.withLock { state in
            if state.lines.contains(line) { return signal.raise() }
            state.waiters.append((line, signal))
        }
        await signal.wait()
    }
}
