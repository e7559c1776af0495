import Foundation
import Hopoate
import Testing

/// Shutting a container down.
@Suite(.mayBlock) struct ShutdownTests {
    let container = DependencyContainer()
    let tracker = Tracker()
    let ends = Locked<[Int]>([])

    /// Registers services and creates them in the given order.
    private func make(_ order: [Int], failing: Set<Int> = []) {
        for number in order.sorted() {
            container.register(Tracked.self, named: DependencyName("\(number)")) { [tracker] _ in
                tracker.make(number)
            } onDispose: { [ends] service in
                ends.withLock { $0.append(service.number) }
                if failing.contains(number) { throw Refusal.first }
            } onAsyncDispose: { [ends] service in
                await Task.yield()
                ends.withLock { $0.append(100 + service.number) }
                if failing.contains(100 + number) { throw Refusal.second }
            }
        }
        for number in order { _ = container.resolve(Tracked.self, named: DependencyName("\(number)")) }
    }

    @Test func asynchronousHooksAreAwaitedInReverseOrderOfCreation() async throws {
        make([2, 0, 3, 1])
        try await container.shutdown()
        #expect(ends.current == [1, 101, 3, 103, 0, 100, 2, 102])
        await expectGone(tracker)
    }

    @Test func synchronousHooksRunInReverseOrderOfCreation() throws {
        for number in [2, 0, 3, 1] {
            container.register(Int.self, named: DependencyName("\(number)"), lifetime: .eager) { _ in
                number
            } onDispose: { [ends] number in
                ends.withLock { $0.append(number) }
            }
        }
        try container.shutdownWithoutAwaitingHooks()
        #expect(ends.current == [1, 3, 0, 2])
    }

    @Test func shutdownThrowsHookErrorsAfterAllHooks() async {
        make([0, 1, 2, 3], failing: [1, 2, 102])
        do {
            try await container.shutdown()
            Issue.record("nothing was thrown")
        } catch {
            #expect(error.failures.map { $0.error as? Refusal } == [.first, .second, .first])
            #expect(error.failures.allSatisfy { $0.service == Tracked.self })
            #expect(error.description.hasPrefix("Shutdown completed, but 3 disposal hooks failed:\n"))
            #expect(error.description.contains("'HopoateTests.Tracked' threw: first"))
        }
        #expect(ends.current == [3, 103, 2, 102, 1, 101, 0, 100])
    }

    @Test func synchronousShutdownThrowsHookErrors() {
        container.register(Int.self) { _ in
            1
        } onDispose: { _ in
            throw Refusal.first
        }
        _ = container.resolve(Int.self)
        do throws(DependencyShutdownError) {
            try container.shutdownWithoutAwaitingHooks()
            Issue.record("nothing was thrown")
        } catch {
            #expect(error.failures.map { $0.error as? Refusal } == [.first])
        }
    }

    // MARK: - Hooks that began before

    /// How an instance can leave before the shutdown.
    enum Departure: CaseIterable { case removal, removalOfAll, replacement, reset, limit, failure }

    @Test(arguments: Departure.allCases) func hooksThatBeganBeforeAreAwaitedFirst(departure: Departure) async throws {
        let scope = DependencyScope("session")
        let (began, mayEnd) = (AsyncSignal(), AsyncSignal())
        let hook = { @Sendable [ends] (service: Tracked) async in
            began.raise()
            await mayEnd.wait()
            ends.withLock { $0.append(service.number) }
        }
        switch departure {
        case .removal:
            let registration = container.register(
                Tracked.self, factory: { [tracker] _ in tracker.make(1) }, onAsyncDispose: hook)
            _ = container.resolve(Tracked.self)
            container.remove(registration)
        case .removalOfAll:
            container.register(Tracked.self, factory: { [tracker] _ in tracker.make(1) }, onAsyncDispose: hook)
            _ = container.resolve(Tracked.self)
            container.removeAll()
        case .replacement:
            container.register(Tracked.self, factory: { [tracker] _ in tracker.make(1) }, onAsyncDispose: hook)
            _ = container.resolve(Tracked.self)
            container.register(Tracked.self, replacing: true) { [tracker] _ in tracker.make(2) }
        case .reset:
            container.register(
                Tracked.self, lifetime: .cached(in: scope), factory: { [tracker] _ in tracker.make(1) },
                onAsyncDispose: hook)
            _ = container.resolve(Tracked.self)
            scope.reset()
        case .limit:
            container.register(
                Tracked.self, lifetime: .keyed(limit: 1),
                factory: { [tracker] (_, number: Int) in tracker.make(number) },
                onAsyncDispose: { if $0.number == 1 { await hook($0) } })
            for number in 1...2 { _ = container.resolve(Tracked.self, arguments: number) }
        case .failure:
            container.register(
                Tracked.self, factory: { [tracker] _ in tracker.make(1) },
                afterCreation: { _, _ in throw Refusal.first }, onAsyncDispose: hook)
            #expect(throws: DependencyError.self) { try container.require(Tracked.self) }
        }
        container.register(
            Int.self, lifetime: .eager, factory: { _ in 7 },
            onDispose: { [ends] number in ends.withLock { $0.append(number) } })
        await began.wait()
        let end = Task { [container] in try await container.shutdown() }
        #expect(await eventually { container.isSealed })
        let isSecondOver = Locked(false)
        Task { [container] in
            try await container.shutdown()
            isSecondOver.withLock { $0 = true }
        }
        #expect(await eventually { isSecondOver.current })
        #expect(ends.current.isEmpty)
        mayEnd.raise()
        try await end.value
        #expect(ends.current == [1, 7])
        await expectGone(tracker)
    }

    @Test func hooksOfAChildThatBeganBeforeAreAwaited() async throws {
        try await container.withChild { child in
            child.register(
                Tracked.self, factory: { [tracker] _ in tracker.make(1) },
                onAsyncDispose: { [ends] service in
                    for _ in 0..<100 { await Task.yield() }
                    ends.withLock { $0.append(service.number) }
                })
        } operation: { child in
            _ = child.resolve(Tracked.self)
            child.removeAll()
        }
        #expect(ends.current == [1])
    }

    /// It would wait for itself.
    @Test func hookThatBeganBeforeMayShutDown() async throws {
        let (mayBegin, isDown) = (AsyncSignal(), AsyncSignal())
        for number in 1...2 {
            container.register(
                Tracked.self, factory: { [tracker] _ in tracker.make(number) },
                onAsyncDispose: { [container, ends] service in
                    await mayBegin.wait()
                    try await container.shutdown()
                    ends.withLock { $0.append(service.number) }
                    isDown.raise()
                })
            _ = container.resolve(Tracked.self)
            container.removeAll()
        }
        mayBegin.raise()
        await isDown.wait()
        #expect(await eventually { Set(ends.current) == [1, 2] })
        #expect(container.isSealed)
    }

    @Test func secondShutdownDoesNothing() async throws {
        make([0, 1])
        try await container.shutdown()
        try await container.shutdown()
        try container.shutdownWithoutAwaitingHooks()
        #expect(ends.current == [1, 101, 0, 100])
    }

    @Test(arguments: threadCounts)
    func concurrentShutdownsRunTheHooksOnce(threads: Int) {
        for _ in 0..<rounds(200) {
            let container = DependencyContainer()
            let ends = Locked<[Int]>([])
            for number in 0..<3 {
                container.register(Int.self, named: DependencyName("\(number)"), lifetime: .eager) { _ in
                    number
                } onDispose: { number in
                    ends.withLock { $0.append(number) }
                }
            }
            runThreads(threads) { _ in try? container.shutdownWithoutAwaitingHooks() }
            check(ends.current == [2, 1, 0])
        }
    }

    @Test func shutDownContainerFindsNothing() throws {
        container.register("text", for: String.self)
        container.register(Int.self) { _ in 1 }
        let child = container.makeChild()
        try container.shutdownWithoutAwaitingHooks()
        #expect(container.isSealed)
        for asked in [container, child] {
            #expect(asked.optionalResolve(String.self) == nil)
            #expect(!asked.canResolve(Int.self))
            #expect(asked.resolveAll(String.self) == [])
            let error = failure { () throws(DependencyError) in try asked.require(Int.self) }
            #expect(error?.reason == .shutDown)
            #expect(error?.description.contains("shutting down") == true)
        }
        let (asked, container) = (child, container)
        let trapped = [
            trap { _ = asked.resolve(String.self) }, trap { _ = container.register("late", for: String.self) },
        ]
        #expect(trapped.map { $0?.reason } == [.shutDown, .shutDown])
    }

    @Test func shutDownChildCreatesNothing() async throws {
        container.register("text", for: String.self)
        container.register(Tracked.self, lifetime: .scoped) { [tracker] _ in tracker.make() }
        let child = container.makeChild()
        try await child.shutdown()
        #expect(failure { () throws(DependencyError) in try child.require(Tracked.self) }?.reason == .shutDown)
        #expect(tracker.made == 0)
        // Services of the parent are found as before.
        #expect(child.resolve(String.self) == "text")
    }

    @Test func childKeepsItsServicesAfterShutdownOfItsParent() throws {
        container.register("text", for: String.self)
        let child = container.makeChild()
        child.register(7, for: Int.self)
        try container.shutdownWithoutAwaitingHooks()
        #expect(child.resolve(Int.self) == 7)
    }

    @Test func resolvesInHooksThrowTheTypedError() async throws {
        let container = container
        let reasons = Locked<[DependencyError.Reason?]>([])
        container.register("text", for: String.self)
        container.register(Int.self, lifetime: .eager) { _ in
            1
        } onDispose: { _ in
            let reason = failure { () throws(DependencyError) in try container.require(String.self) }?.reason
            reasons.withLock { $0.append(reason) }
        } onAsyncDispose: { _ in
            let reason = await failure { () async throws(DependencyError) in
                try await container.asyncResolve(String.self)
            }?.reason
            reasons.withLock { $0.append(reason) }
        }
        try await container.shutdown()
        #expect(reasons.current == [.shutDown, .shutDown])
    }

    @Test(arguments: [true, false])
    func instanceCreatedDuringShutdownIsDisposedOfAndNotReturned(hasHook: Bool) throws {
        let (isCreating, isOver) = (Signal(), Signal())
        let hook: (@Sendable (Tracked) throws -> Void)? =
            hasHook ? { @Sendable [ends] service in ends.withLock { $0.append(service.number) } } : nil
        container.register(
            Tracked.self, lifetime: .singleton,
            factory: { [tracker] _ in
                isCreating.raise()
                #expect(isOver.wait())
                return tracker.make(7)
            }, onDispose: hook)
        let reason = Locked<DependencyError.Reason?>(nil)
        let asker = RealThread { [container] in
            let error = failure { () throws(DependencyError) in try container.require(Tracked.self) }
            reason.withLock { $0 = error?.reason }
        }
        #expect(isCreating.wait())
        try container.shutdownWithoutAwaitingHooks()
        isOver.raise()
        asker.join()
        #expect(reason.current == .shutDown)
        #expect(ends.current == (hasHook ? [7] : []))
        expectGone(tracker)
    }

    @Test func creationsAndShutdownMayRace() {
        for _ in 0..<rounds(200) {
            let container = DependencyContainer()
            let (made, ended) = (Locked<[Int]>([]), Locked<[Int]>([]))
            for number in 0..<4 {
                container.register(Int.self, named: DependencyName("\(number)")) { _ in
                    made.withLock { $0.append(number) }
                    return number
                } onDispose: { number in
                    ended.withLock { $0.append(number) }
                }
            }
            runThreads(5) { index in
                if index == 4 { return (try? container.shutdownWithoutAwaitingHooks()) ?? () }
                let name = DependencyName("\(index)")
                let error = failure { () throws(DependencyError) in try container.require(Int.self, named: name) }
                check(error == nil || error?.reason == .shutDown)
            }
            check(made.current.sorted() == ended.current.sorted())
        }
    }

    @Test func scopeResetAndShutdownDisposeOnce() throws {
        let scope = DependencyScope("session")
        container.register(Tracked.self, lifetime: .cached(in: scope)) { [tracker] _ in
            tracker.make()
        } onDispose: { [ends] _ in
            ends.withLock { $0.append(1) }
        }
        _ = container.resolve(Tracked.self)
        try container.shutdownWithoutAwaitingHooks()
        scope.reset()
        #expect(ends.current == [1])
    }

    @Test func shutDownContainerRunsNoHooksAtItsEnd() async throws {
        do {
            let container = DependencyContainer()
            container.register(Tracked.self) { [tracker] _ in
                tracker.make()
            } onDispose: { [ends] _ in
                ends.withLock { $0.append(1) }
            }
            _ = container.resolve(Tracked.self)
            try await container.shutdown()
        }
        #expect(ends.current == [1])
        await expectGone(tracker)
    }
}
