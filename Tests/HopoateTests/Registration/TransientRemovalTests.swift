import Hopoate
import Testing

/// A transient registration that leaves its container while its closure runs. What the closure holds lives until it returns. Everything
/// else is released as promptly as ever.
@Suite(.mayBlock) struct TransientRemovalTests {
    private let container = DependencyContainer()
    private let tracker = Tracker()
    private let token = Locked<ServiceRegistration<Meter>?>(nil)

    /// How the closure is registered.
    enum Form: CaseIterable, Sendable {
        case uncached, closure, initializer
    }

    /// How the registration leaves its container.
    enum Ending: CaseIterable, Sendable {
        case remove, overwrite, removeAll
    }

    private struct Meter: Sendable {
        /// Whether the object of the closure was alive at the end of the closure.
        let wasIntact: Bool
    }

    /// Registers a service. Its closure holds a tracked object, and runs the action during each creation. The registration is held by the
    /// container and by `token`, and by nothing else.
    private func register(_ form: Form, during action: @escaping @Sendable () throws -> Void) {
        let held = tracker.make()
        @Sendable func make() throws -> Meter {
            try action()
            return Meter(wasIntact: held.isIntact)
        }
        token.withLock { token in
            switch form {
            case .uncached:
                // This form cannot throw.
                token = container.hopoate1.register(service: Meter.self, cacheService: false) {
                    (try? make()) ?? Meter(wasIntact: false)
                }
            case .closure: token = container.register(Meter.self, lifetime: .transient) { _ in try make() }
            case .initializer: token = container.register(Meter.self, lifetime: .transient, using: make)
            }
        }
    }

    private func end(_ ending: Ending) {
        guard let token = token.take() else { return }
        switch ending {
        case .remove: container.remove(token)
        case .overwrite: container.register(Meter(wasIntact: true), for: Meter.self, replacing: true)
        case .removeAll: container.removeAll()
        }
    }

    @Test(arguments: Form.allCases, Ending.allCases)
    func closureThatEndsItsOwnRegistrationReturns(form: Form, ending: Ending) async {
        await onThread {
            register(form) {
                end(ending)
                #expect(tracker.live == 1)
            }
            #expect(container.resolve(Meter.self).wasIntact)
            #expect(eventually { tracker.live == 0 })
        }
    }

    @Test(arguments: Form.allCases, Ending.allCases)
    func closureLivesWhileAnotherThreadEndsItsRegistration(form: Form, ending: Ending) async {
        await onThread {
            let (isInside, isOver) = (Signal(), Signal())
            register(form) {
                isInside.raise()
                #expect(isOver.wait())
            }
            let resolver = RealThread { #expect(container.resolve(Meter.self).wasIntact) }
            #expect(isInside.wait())
            end(ending)
            #expect(tracker.live == 1)
            isOver.raise()
            resolver.join()
            #expect(eventually { tracker.live == 0 })
        }
    }

    @Test(arguments: Form.allCases) func closureDefersNoOtherRelease(form: Form) async {
        let others = Tracker()
        await onThread {
            let other = Locked<ServiceRegistration<Tracked>?>(container.register(others.make(), for: Tracked.self))
            let live = Locked<[Int]>([])
            register(form) {
                if let other = other.take() { container.remove(other) }
                live.withLock { $0.append(others.live) }
            }
            // No other test borrows from this container, so nothing else could defer the release.
            #expect(container.resolve(Meter.self).wasIntact)
            #expect(live.current == [0])
        }
    }

    @Test func closureThatThrowsAfterItsRemovalIsReleased() async {
        await onThread {
            register(.closure) {
                end(.remove)
                throw Refusal.first
            }
            let error = failure { () throws(DependencyError) in try container.require(Meter.self) }
            #expect(error?.underlying as? Refusal == .first)
            #expect(eventually { tracker.live == 0 })
        }
    }

    /// More than a thread can protect: the inner ones are retained instead.
    @Test func nestedClosuresMayAllEndTheirRegistrations() async {
        await onThread {
            let depth = 8
            let levels: [DependencyName] = (0..<depth).map { DependencyName("level \($0)") }
            for (level, name) in levels.enumerated() {
                let held = tracker.make()
                container.register(Int.self, named: name, lifetime: .transient) { container in
                    let below = level + 1 < depth ? container.resolve(Int.self, named: levels[level + 1]) : 0
                    if level == 0 || level == depth - 1 { container.removeAll() }
                    return held.isIntact ? below + 1 : 0
                }
            }
            #expect(container.resolve(Int.self, named: levels[0]) == depth)
            #expect(eventually { tracker.live == 0 })
        }
    }

    @Test func asynchronousCallerKeepsTheClosure() async throws {
        container.register(Int.self, lifetime: .transient) { _ in 1 }
        do {
            let held = tracker.make()
            let registration = container.register(
                Meter.self, lifetime: .transient,
                using: { (_: Int) in
                    end(.remove)
                    return Meter(wasIntact: held.isIntact)
                })
            token.withLock { $0 = registration }
        }
        #expect(try await container.asyncResolve(Meter.self).wasIntact)
        #expect(await eventually { tracker.live == 0 })
    }
}
