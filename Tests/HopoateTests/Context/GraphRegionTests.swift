import Hopoate
import Testing

private struct User: Sendable, Equatable { let name: String }

/// A graph service with the data of one user.
private final class Trail: Sendable {
    let user: User
    init(user: User) { self.user = user }
}

/// A service that its registration owns, and that keeps a trail.
private final class Audit: Sendable {
    private let kept = Locked<Trail?>(nil)
    private let lazy: LazyDependency<Trail>?
    private let wrapper: Dependency<Trail>?

    init(_ trail: Trail? = nil, lazy: LazyDependency<Trail>? = nil, wrapper: Dependency<Trail>? = nil) {
        self.lazy = lazy
        self.wrapper = wrapper
        if let trail { keep(trail) }
    }

    func keep(_ trail: Trail) { kept.withLock { $0 = trail } }

    var trail: Trail { kept.current ?? lazy?.wrappedValue ?? wrapper!.wrappedValue }
}

private struct Page: Sendable {
    let trail: Trail
    let audit: Audit
    let last: Trail
}

/// How an audit gets its trail.
private enum Way: String, CaseIterable, Sendable {
    case closure, initializer, throughTransient, lazy, wrapper, provider, completion, partWithCompletion
    case suspending, suspendingLazy, suspendingCompletion

    var suspends: Bool { rawValue.hasPrefix("suspending") }
}

private struct Part: Sendable { let trail: Trail }

/// Lifetimes whose instances the registration owns.
private enum Owned: CaseIterable, Sendable {
    case singleton, cached, weak

    var lifetime: Lifetime {
        switch self {
        case .singleton: .singleton
        case .cached: .cached(in: DependencyScope("session"))
        case .weak: .weak
        }
    }
}

/// `Lifetime.graph`: an instance is found by registration, container and region, so that a service which all callers share never gets the
/// data of one caller, whoever comes first.
@Suite(.mayBlock) struct GraphRegionTests {
    let app = DependencyContainer()

    private func registerAudit(_ way: Way, _ owned: Owned) {
        let lifetime = owned.lifetime
        app.register(Part.self, lifetime: .transient) { container in Part(trail: try container.require(Trail.self)) }
        switch way {
        case .closure: app.register(Audit.self, lifetime: lifetime) { Audit(try $0.require(Trail.self)) }
        case .initializer: app.register(Audit.self, lifetime: lifetime, using: { (trail: Trail) in Audit(trail) })
        case .throughTransient: app.register(Audit.self, lifetime: lifetime) { Audit(try $0.require(Part.self).trail) }
        case .lazy:
            app.register(Audit.self, lifetime: lifetime) { container in
                let lazy = LazyDependency<Trail>(container: container)
                try lazy.require()
                return Audit(lazy: lazy)
            }
        case .wrapper:
            app.register(Audit.self, lifetime: lifetime) { container in
                let wrapper = Dependency<Trail>(container: container)
                _ = wrapper.wrappedValue
                return Audit(wrapper: wrapper)
            }
        case .provider:
            app.register(Audit.self, lifetime: lifetime) { Audit(try $0.provider(Trail.self).require()) }
        case .completion:
            app.register(Audit.self, lifetime: lifetime) { _ in
                Audit()
            } afterCreation: { audit, container in
                audit.keep(try container.require(Trail.self))
            }
        case .partWithCompletion:
            // The part is complete only after the frames of the audit have ended.
            app.register(Locked<Audit?>.self, lifetime: .transient) { _ in
                Locked(nil)
            } afterCreation: { slot, container in
                slot.current?.keep(try container.require(Trail.self))
            }
            app.register(Audit.self, lifetime: lifetime) { container in
                let audit = Audit()
                try container.require(Locked<Audit?>.self).withLock { $0 = audit }
                return audit
            } afterCreation: { _, _ in
            }
        case .suspending:
            app.register(Audit.self, lifetime: lifetime) { container async throws in
                await Task.yield()
                return Audit(try await container.asyncResolve(Trail.self))
            }
        case .suspendingLazy:
            app.register(Audit.self, lifetime: lifetime) { container async throws in
                let lazy = LazyDependency<Trail>(container: container)
                try await lazy.asyncResolve()
                return Audit(lazy: lazy)
            }
        case .suspendingCompletion:
            app.register(Audit.self, lifetime: lifetime) { _ async in
                Audit()
            } afterCreation: { audit, container in
                audit.keep(try container.require(Trail.self))
            }
        }
    }

    /// Registers a page that resolves the trail before the audit, or the audit before the trail.
    private func registerPage(trailFirst: Bool) {
        app.register(Trail.self, lifetime: .graph, using: Trail.init)
        app.register(Page.self, lifetime: .transient) { container async throws in
            if trailFirst { _ = try await container.asyncResolve(Trail.self) }
            let audit = try await container.asyncResolve(Audit.self)
            let trail = try await container.asyncResolve(Trail.self)
            return Page(trail: trail, audit: audit, last: try container.require(Trail.self))
        }
        app.register(Page.self, named: "sync", lifetime: .transient) { container in
            if trailFirst { _ = try container.require(Trail.self) }
            let audit = try container.require(Audit.self)
            return Page(trail: try container.require(), audit: audit, last: try container.require())
        }
    }

    private func page(for name: String, suspending: Bool) async throws -> Page {
        let request = app.makeChild()
        request.register(User(name: name), for: User.self)
        return suspending ? try await request.asyncResolve(Page.self) : try request.require(Page.self, named: "sync")
    }

    @Test(arguments: Way.allCases, Owned.allCases)
    private func aSharedServiceNeverGetsTheTrailOfARequest(way: Way, owned: Owned) async throws {
        for trailFirst in [true, false] {
            for suspending in way.suspends ? [true] : [true, false] {
                let test = GraphRegionTests()
                test.app.register(User(name: "app"), for: User.self)
                test.registerAudit(way, owned)
                test.registerPage(trailFirst: trailFirst)
                for name in ["alice", "bob", "alice"] {
                    let page = try await test.page(for: name, suspending: suspending)
                    #expect(page.trail === page.last)
                    #expect(page.trail.user.name == name)
                    #expect(page.audit.trail.user.name == "app")
                }
            }
        }
    }

    @Test(arguments: Way.allCases.filter { $0 != .wrapper }, [true, false])
    private func aSharedServiceFailsForEachRequestIfOnlyRequestsHaveTheUser(way: Way, trailFirst: Bool) async throws {
        registerAudit(way, .singleton)
        registerPage(trailFirst: trailFirst)
        for name in ["alice", "bob"] {
            let error = await #expect(throws: DependencyError.self) {
                _ = try await page(for: name, suspending: way.suspends)
            }
            #expect(error?.reason == .captive)
            #expect(error?.service == User.self)
        }
    }

    @Test(arguments: [true, false])
    func aKeyedServiceHasAGraphOfItsOwn(trailFirst: Bool) throws {
        app.register(User(name: "app"), for: User.self)
        app.register(Trail.self, lifetime: .graph, using: Trail.init)
        app.register(Audit.self, lifetime: .keyed) { (container, _: Int) in Audit(try container.require(Trail.self)) }
        app.register(Page.self, lifetime: .transient) { container in
            if trailFirst { _ = try container.require(Trail.self) }
            let audit = try container.require(Audit.self, arguments: 1)
            return Page(trail: try container.require(), audit: audit, last: try container.require())
        }
        for name in ["alice", "bob"] {
            let request = app.makeChild()
            request.register(User(name: name), for: User.self)
            let page = try request.require(Page.self)
            #expect(page.trail.user.name == name && page.audit.trail.user.name == "app")
        }
    }

    @Test func anEagerServiceHasAGraphOfItsOwn() throws {
        app.register(User(name: "app"), for: User.self)
        app.register(Trail.self, lifetime: .graph, using: Trail.init)
        app.register([Trail].self, lifetime: .transient) { container in
            let first = try container.require(Trail.self)
            container.register(Audit.self, lifetime: .eager) { Audit(try $0.require(Trail.self)) }
            return [first, try container.require(Audit.self).trail, try container.require(Trail.self)]
        }
        let trails = try app.require([Trail].self)
        #expect(trails[0] === trails[2])
        #expect(trails[0] !== trails[1])
    }

    @Test func aLazyDependencyOfASharedServiceUsedInARequestHasAGraphOfItsOwn() throws {
        app.register(User(name: "app"), for: User.self)
        app.register(Trail.self, lifetime: .graph) { container in
            Trail(user: User(name: try container.require(User.self).name + TaskUser.name))
        }
        app.register(Audit.self) { Audit(lazy: LazyDependency(container: $0)) }
        let audit = try app.require(Audit.self)
        app.register([Trail].self, lifetime: .transient) { [app] _ in
            [try app.require(Trail.self), audit.trail, try app.require(Trail.self)]
        }
        let trails = try TaskUser.$name.withValue("-alice") { try app.require([Trail].self) }
        #expect(trails[0] === trails[2])
        #expect(trails[0] !== trails[1])
    }

    /// The service that the handle belongs to is eager, or was created through a handle of an eager one.
    @Test(arguments: [true, false], [true, false])
    func aHandleOfAnEagerServiceUsedInARequestHasAGraphOfItsOwn(isWrapper: Bool, isOfAPart: Bool) throws {
        app.register(User(name: "app"), for: User.self)
        app.register(Trail.self, lifetime: .graph, using: Trail.init)
        let make = { @Sendable (container: DependencyContainer) in
            isWrapper
                ? Audit(wrapper: Dependency(container: container))
                : Audit(lazy: LazyDependency<Trail>(container: container))
        }
        app.register(Audit.self, named: "part", lifetime: .transient, factory: make)
        app.register(LazyDependency<Audit>.self, lifetime: .eager) {
            LazyDependency(named: "part", container: $0)
        }
        app.register(Audit.self, lifetime: .eager, factory: make)
        let audit = isOfAPart ? try app.require(LazyDependency<Audit>.self).require() : try app.require(Audit.self)
        app.register([Trail].self, lifetime: .transient) { [app] _ in
            [try app.require(Trail.self), audit.trail, try app.require(Trail.self)]
        }
        let trails = try app.require([Trail].self)
        #expect(trails[0] === trails[2])
        #expect(trails[0] !== trails[1])
    }

    @Test func childrenOfAnAsynchronousFactoryHaveInstancesOfTheirOwn() async throws {
        app.register(Trail.self, lifetime: .graph) { Trail(user: try $0.require(User.self)) }
        app.register([String].self) { container async throws in
            var lines: [String] = []
            for name in ["alice", "bob"] {
                try await container.withChild {
                    $0.register(User(name: name), for: User.self)
                } operation: { request in
                    let trail = try await request.asyncResolve(Trail.self)
                    #expect(try await request.asyncResolve(Trail.self) === trail)
                    lines.append("\(name) -> \(trail.user.name)")
                }
            }
            return lines
        }
        #expect(try await app.asyncResolve([String].self) == ["alice -> alice", "bob -> bob"])
    }

    @Test func aFactoryThatServesRequestsKeepsNoneOfThem() throws {
        let tracker = Tracker()
        let rounds = 200
        app.register(Tracked.self, lifetime: .graph) { _ in tracker.make() }
        app.register(Int.self) { container in
            var most = 0
            for round in 0..<rounds {
                let request = container.makeChild()
                _ = try request.require(Tracked.self)
                if round.isMultiple(of: 2) { try request.shutdownWithoutAwaitingHooks() }
                most = max(most, tracker.live)
            }
            return most
        }
        let most = try app.require(Int.self)
        #expect(tracker.made == rounds && tracker.live == 0)
        #expect(most < rounds / 4)
    }

    @Test func aChildAtTheAddressOfAnEarlierOneHasInstancesOfItsOwn() throws {
        app.register(Trail.self, lifetime: .graph, using: Trail.init)
        app.register([String].self, lifetime: .transient) { container in
            var names: [String] = []
            for number in 0..<100 {
                let request = container.makeChild()
                request.register(User(name: "\(number)"), for: User.self)
                names.append(try request.require(Trail.self).user.name)
            }
            return names
        }
        #expect(try app.require([String].self) == (0..<100).map { "\($0)" })
    }
}

private enum TaskUser {
    @TaskLocal static var name = ""
}
