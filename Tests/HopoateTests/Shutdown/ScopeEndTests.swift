import Hopoate
import Testing

/// `ScopeEnd`: a scope ends once, by the call or by the release.
@Suite struct ScopeEndTests {
    private let app = DependencyContainer()
    private let tracker = Tracker()
    private let events = Locked<[String]>([])

    init() {
        app.register(Tracked.self, lifetime: .scoped) { [tracker] _ in
            tracker.make()
        } onDispose: { [events] _ in
            events.withLock { $0.append("onDispose") }
            throw Refusal.first
        } onAsyncDispose: { [events] _ in
            await Task.yield()
            events.withLock { $0.append("onAsyncDispose") }
        }
    }

    private func makeEnd(of child: DependencyContainer) -> ScopeEnd {
        ScopeEnd(of: child) { [events] error in events.withLock { $0.append("failures: \(error.failures.count)") } }
    }

    @Test func callsAndReleaseRunTheHooksAndReportTheirErrorsOnce() async {
        do {
            let child = app.makeChild()
            let end = makeEnd(of: child)
            _ = child.resolve(Tracked.self)
            await end.reach()
            #expect(events.current == ["onDispose", "onAsyncDispose", "failures: 1"])
            await end.reach()
        }
        await expectGone(tracker)
        #expect(events.current == ["onDispose", "onAsyncDispose", "failures: 1"])
    }

    @Test func releaseAloneEndsTheScope() async {
        let child = app.makeChild()
        do {
            let end = makeEnd(of: child)
            _ = child.resolve(Tracked.self)
            withExtendedLifetime(end) {}
        }
        #expect(await eventually { events.current.count == 3 })
        #expect(events.current == ["onDispose", "onAsyncDispose", "failures: 1"])
        #expect(child.isSealed)
    }

    @Test func releaseWithoutHooksEndsTheScopeAtOnce() {
        let child = app.makeChild()
        do {
            let end = makeEnd(of: child)
            #expect(!child.isSealed)
            withExtendedLifetime(end) {}
        }
        #expect(child.isSealed)
        #expect(events.current.isEmpty)
    }

    @Test func callReleasesTheContainer() async {
        app.register(Int.self, lifetime: .scoped) { _ in 7 }
        let end = makeEnd(of: app.makeChild())
        weak let child = end.container
        #expect(child?.resolve(Int.self) == 7)
        await end.reach()
        #expect(child == nil)
        #expect(end.container == nil)
    }

    /// A service that uses an older one until its asynchronous hook has ended.
    private final class User: Sendable {
        init(_ used: Used) {}
    }
    private final class Used: Sendable {}

    @Test func releaseThatRacesWithACreationKeepsTheOrderOfTheHooks() async {
        for _ in 0..<rounds(300) {
            let (ended, disorders) = (Locked(0), Locked(0))
            let app = DependencyContainer()
            app.register(Used.self, lifetime: .scoped, factory: { _ in Used() }, onDispose: { _ in _ = ended.next() })
            app.register(
                User.self, lifetime: .scoped, factory: { container in User(try container.require(Used.self)) },
                onAsyncDispose: { _ in
                    await Task.yield()
                    if ended.current > 0 { _ = disorders.next() }
                })
            let child = app.makeChild()
            await withTaskGroup(of: Void.self) { group in
                let end = makeEnd(of: child)
                group.addTask { withExtendedLifetime(end) {} }
                group.addTask { _ = try? child.require(User.self) }
            }
            check(await eventually { child.isSealed })
            check(failure { () throws(DependencyError) in try child.require(Used.self) }?.reason == .shutDown)
            check(disorders.current == 0)
        }
    }

    @Test func callReleaseAndCreationMayRace() async {
        for round in 0..<rounds(200) {
            let child = app.makeChild()
            await withTaskGroup(of: Void.self) { group in
                let end = makeEnd(of: child)
                group.addTask {
                    // In every second round, the release alone ends the scope.
                    if round.isMultiple(of: 2) { await end.reach() }
                    withExtendedLifetime(end) {}
                }
                group.addTask { _ = try? child.require(Tracked.self) }
            }
            check(await eventually { child.isSealed })
        }
        await expectGone(tracker)
        let made = tracker.made
        #expect(await eventually { count("onAsyncDispose") == made })
        #expect(count("onDispose") == made)
        #expect(count("failures: 1") <= made)
    }

    private func count(_ event: String) -> Int { events.withLock { events in events.count(where: { $0 == event }) } }
}
