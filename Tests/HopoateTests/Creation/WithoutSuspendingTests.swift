import Hopoate
import Testing

/// The first half of `asyncResolve`: the parameters of an initializer are checked when the first one has no instance.
@Suite(.mayBlock) struct WithoutSuspendingTests {
    private final class Settings: Sendable {}
    private final class Pool: Sendable {}
    private final class Session: Sendable {}

    /// A transient service with a factory that is counted.
    private struct Stamp: Sendable {
        let part: Tracked
    }

    private struct Report: Sendable {
        let settings: Settings
        let stamp: Stamp
        let session: Session
        let pool: Pool
    }

    private let container = DependencyContainer()
    private let tracker = Tracker()

    private init() {
        container.register(Settings(), for: Settings.self)
        container.register(Stamp.self, lifetime: .transient) { [tracker] _ in Stamp(part: tracker.make()) }
        container.register(Session.self, lifetime: .scoped) { _ in Session() }
        container.register(Pool.self) { _ async in
            await Task.yield()
            return Pool()
        }
        container.register(Report.self, lifetime: .transient, using: Report.init)
    }

    @Test func transientParameterIsCreatedOnceIfALaterOneSuspends() async throws {
        let child = container.makeChild()
        let report = try await child.asyncResolve(Report.self)
        #expect(tracker.made == 1)
        #expect(report.session === child.resolve(Session.self) && report.pool === container.resolve(Pool.self))
    }

    /// Up to a transient parameter, each one is checked only if it has no instance.
    @Test(arguments: 0..<4, [false, true])
    func parametersAreCreatedOnceInAnyOrder(order: Int, poolExists: Bool) async throws {
        let sessions = Locked(0)
        container.register(Session.self, lifetime: .scoped) { _ in
            sessions.withLock { $0 += 1 }
            return Session()
        }
        let first: @Sendable (Session, Settings, Stamp, Pool) -> Report = {
            Report(settings: $1, stamp: $2, session: $0, pool: $3)
        }
        let second: @Sendable (Session?, Stamp, Pool, Settings) -> Report? = { session, stamp, pool, settings in
            session.map { Report(settings: settings, stamp: stamp, session: $0, pool: pool) }
        }
        let third: @Sendable (Session, Pool, Session, Stamp) -> Report = { session, pool, other, stamp in
            Report(settings: Settings(), stamp: stamp, session: session === other ? session : Session(), pool: pool)
        }
        let fourth: @Sendable (Pool, Stamp, Session) -> Report = { pool, stamp, session in
            Report(settings: Settings(), stamp: stamp, session: session, pool: pool)
        }
        switch order {
        case 0: container.register(Report?.self, lifetime: .transient, using: first)
        case 1: container.register(Report?.self, lifetime: .transient, using: second)
        case 2: container.register(Report?.self, lifetime: .transient, using: third)
        default: container.register(Report?.self, lifetime: .transient, using: fourth)
        }
        if poolExists { _ = try await container.asyncResolve(Pool.self) }
        let child = container.makeChild()
        let report = try #require(try await child.asyncResolve(Report?.self))
        #expect(report.session === child.resolve(Session.self) && report.pool === container.resolve(Pool.self))
        #expect(sessions.current == 1 && tracker.made == 1)
    }

    /// The newest of the services exists, but not the others.
    @Test func elementsOfAnArrayAreCreatedOnceIfALaterParameterSuspends() async throws {
        struct Page: Sendable {
            let stamps: [Stamp]
            let pool: Pool
        }
        container.register(Stamp(part: Tracker().make()), for: Stamp.self)
        container.register(Page.self, lifetime: .transient, using: Page.init)
        let page = try await container.asyncResolve(Page.self)
        #expect(page.stamps.count == 2 && tracker.made == 1)
    }

    @Test func initializerRunsOnceInEitherForm() async throws {
        let count = Locked(0)
        let make: @Sendable (Settings, Stamp, Session, Pool) -> Report = { settings, stamp, session, pool in
            count.withLock { $0 += 1 }
            return Report(settings: settings, stamp: stamp, session: session, pool: pool)
        }
        container.register(Report.self, lifetime: .transient, using: make)
        for number in 1...3 {
            _ = try await container.makeChild().asyncResolve(Report.self)
            #expect(count.current == number && tracker.made == number)
        }
    }

    @Test func parameterThatIsRemovedDuringTheCheckIsStillPassed() async throws {
        let first = container.register(Settings(), for: Settings.self)
        let before = container.resolve(Settings.self)
        container.register(Session.self, lifetime: .scoped) { [container] _ in
            container.remove(first)
            return Session()
        }
        _ = try await container.asyncResolve(Pool.self)
        let report = try await container.makeChild().asyncResolve(Report.self)
        #expect(report.settings === before && container.resolve(Settings.self) !== before)
    }

    /// No read section is open while a factory runs, so the call itself keeps the factory alive.
    @Test func serviceThatAParameterRemovesIsStillCreated() async throws {
        let registration = Locked<ServiceRegistration<Report>?>(nil)
        container.register(Session.self, lifetime: .scoped) { [container] _ in
            if let report = registration.withLock({ $0.take() }) { container.remove(report) }
            return Session()
        }
        registration.withLock { $0 = container.register(Report.self, lifetime: .transient, using: Report.init) }
        let removed = { [weak report = registration.current] in report }
        let pool = try await container.asyncResolve(Pool.self)
        let child = container.makeChild()
        let report = try await child.asyncResolve(Report.self)
        #expect(removed() == nil && report.session === child.resolve(Session.self) && report.pool === pool)
    }

    @Test func parametersThatWrapServicesAreChecked() async throws {
        struct Page: Sendable {
            let missing: String?
            let session: Session?
            let stamps: [Stamp]
            let pool: LazyDependency<Pool>
        }
        container.register(Page.self, lifetime: .transient, using: Page.init)
        let child = container.makeChild()
        let page = try await child.asyncResolve(Page.self)
        #expect(page.missing == nil && page.session === child.resolve(Session.self))
        #expect(page.stamps.count == 1 && tracker.made == 1)
    }

    @Test func initializerThatResolvesGetsChecksOfItsOwn() async throws {
        struct Inner: Sendable {
            let settings: Settings
            let session: Session
        }
        struct Outer: Sendable {
            let inner: Inner
        }
        container.register(Inner.self, lifetime: .transient, using: Inner.init)
        let child = container.makeChild()
        // All parameters exist, so nothing has been checked when the body resolves a service that needs a new one.
        container.register(
            Outer.self, lifetime: .transient, using: { (_: Settings) in Outer(inner: child.resolve(Inner.self)) })
        let outer = try await child.asyncResolve(Outer.self)
        #expect(outer.inner.session === child.resolve(Session.self))
    }

    @Test func errorOfTheInitializerHasItsChain() async throws {
        struct Broken: Sendable {}
        container.register(
            Broken.self, lifetime: .transient, using: { (_: Settings) throws -> Broken in throw Refusal.first })
        let error = await failure { () async throws(DependencyError) in try await container.asyncResolve(Broken.self) }
        #expect(error?.reason == .creationFailed && error?.underlying as? Refusal == .first)
        #expect(error?.chain.map { $0.split(separator: ".").last } == ["Broken"])
    }

    @Test func missingParameterIsReported() async throws {
        struct Broken: Sendable {
            let settings: Settings
            let missing: Int
        }
        container.register(Broken.self, lifetime: .transient, using: Broken.init)
        let error = await failure { () async throws(DependencyError) in try await container.asyncResolve(Broken.self) }
        #expect(error?.reason == .notRegistered && error?.service == Int.self)
        #expect(error?.chain.map { $0.split(separator: ".").last } == ["Broken", "Int"])
    }

    @Test func nothingIsRetainedAfterwards() async throws {
        do {
            let report = try await container.makeChild().asyncResolve(Report.self)
            #expect(tracker.live == 1)
            withExtendedLifetime(report) {}
        }
        #expect(tracker.live == 0)
    }
}
