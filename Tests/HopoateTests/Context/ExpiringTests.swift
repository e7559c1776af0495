import Hopoate
import Testing

/// A service that is disposed of by a reset or because of a limit, while callers hold it.
private final class Pool: Sendable {}

private final class Holder: Sendable {
    let pool: Pool?
    let lazy: LazyDependency<Pool>?
    let provider: DependencyProvider<Pool>?

    init(pool: Pool? = nil, lazy: LazyDependency<Pool>? = nil, provider: DependencyProvider<Pool>? = nil) {
        self.pool = pool
        self.lazy = lazy
        self.provider = provider
    }
}

private struct Between: Sendable { let pool: Pool }

/// An instance that may end early must not be kept by a service that lives longer: validation and creation agree, also if the instance
/// exists already.
@Suite struct ExpiringTests {
    static let expiring: [Lifetime] = [
        .cached(in: DependencyScope("session")), Lifetime("own", policy: Own()),
    ]

    /// A custom lifetime whose storage may drop its instance.
    private struct Own: LifetimePolicy {
        var mayEndEarly: Bool { true }
        func makeStorage<Instance>(for type: Instance.Type) -> InstanceStorage<Instance> { InstanceStorage() }
    }

    let container = DependencyContainer()

    /// Checks that validation and a resolve call of the holder give the same answer, whether the pool exists or not.
    private func expectAnswer(isCaptive: Bool, _ place: SourceLocation = #_sourceLocation) {
        var kinds: [DependencyValidationError.Finding.Kind] = []
        do { try container.validate() } catch { kinds = error.findings.map(\.kind) }
        #expect(kinds == (isCaptive ? [.captive] : []), sourceLocation: place)
        for exists in [false, true] {
            if exists { _ = container.resolve(Pool.self) }
            let error = failure { () throws(DependencyError) in try container.require(Holder.self) }
            #expect(error?.reason == (isCaptive ? .captive : nil), sourceLocation: place)
        }
    }

    @Test(arguments: expiring, [Lifetime.singleton, .weak])
    func aServiceThatLivesLongerIsRefused(expiring: Lifetime, holder: Lifetime) {
        container.register(Pool.self, lifetime: expiring) { _ in Pool() }
        container.register(Holder.self, lifetime: holder, using: { (pool: Pool) in Holder(pool: pool) })
        expectAnswer(isCaptive: true)
    }

    @Test(arguments: expiring, [Lifetime.transient, .graph])
    func aServiceThatLivesLongerIsRefusedThroughAnother(expiring: Lifetime, between: Lifetime) {
        container.register(Pool.self, lifetime: expiring) { _ in Pool() }
        container.register(Between.self, lifetime: between, using: Between.init)
        container.register(Holder.self, using: { (between: Between) in Holder(pool: between.pool) })
        expectAnswer(isCaptive: true)
    }

    @Test(arguments: expiring, [Lifetime.transient, .graph, .scoped, .cached(in: DependencyScope("other"))])
    func aServiceThatMayEndFirstIsNotRefused(expiring: Lifetime, holder: Lifetime) {
        container.register(Pool.self, lifetime: expiring) { _ in Pool() }
        container.register(Holder.self, lifetime: holder, using: { (pool: Pool) in Holder(pool: pool) })
        expectAnswer(isCaptive: false)
    }

    @Test func anotherLifetimeBetweenThemIsTheHolder() {
        container.register(Pool.self, lifetime: .cached(in: DependencyScope("session"))) { _ in Pool() }
        container.register(Between.self, lifetime: .cached(in: DependencyScope("session")), using: Between.init)
        container.register(Holder.self, using: { (_: DependencyProvider<Between>) in Holder() })
        expectAnswer(isCaptive: false)
    }

    @Test func aScopeMayAllowIt() {
        let scope = DependencyScope("tests", allowsCaptives: true)
        container.register(Pool.self, lifetime: .cached(in: scope)) { _ in Pool() }
        container.register(Holder.self, using: { (pool: Pool) in Holder(pool: pool) })
        expectAnswer(isCaptive: false)
    }

    @Test(arguments: expiring) func aProviderKeepsNothing(expiring: Lifetime) throws {
        container.register(Pool.self, lifetime: expiring) { _ in Pool() }
        container.register(
            Holder.self, using: { (provider: DependencyProvider<Pool>) in Holder(provider: provider) })
        expectAnswer(isCaptive: false)
        let holder = container.resolve(Holder.self)
        #expect(try holder.provider?.require() === container.resolve(Pool.self))
        // A factory keeps what a provider gives it.
        container.register([Pool].self) { _ in [try holder.provider!.require()] }
        let error = failure { () throws(DependencyError) in try container.require([Pool].self) }
        #expect(error?.reason == .captive)
    }

    /// A provider's instance belongs to the code that calls it. So do the instances that the handles of that instance keep.
    @Test(arguments: expiring, [false, true])
    func aHandleOfAProvidersInstanceKeepsNothingForTheProvidersService(expiring: Lifetime, suspends: Bool) async throws
    {
        final class Maker: Sendable {
            let make: DependencyProvider<Holder>
            init(_ make: DependencyProvider<Holder>) { self.make = make }
        }
        container.register(Pool.self, lifetime: expiring) { _ in Pool() }
        container.register(
            Holder.self, lifetime: .transient, using: { (lazy: LazyDependency<Pool>) in Holder(lazy: lazy) })
        container.register(Maker.self, using: Maker.init)
        let maker = try container.require(Maker.self)
        let holder = suspends ? try await maker.make.asyncResolve() : try maker.make.require()
        _ = suspends ? try await holder.lazy?.asyncResolve() : try holder.lazy?.require()
        // This one keeps what the provider returns.
        container.register(Between.self) { container in
            Between(pool: try #require(try container.require(Maker.self).make.require().lazy).require())
        }
        let error = failure { () throws(DependencyError) in try container.require(Between.self) }
        #expect(error?.reason == .captive)
    }

    @Test(arguments: expiring) func aLazyDependencyKeepsItsInstance(expiring: Lifetime) throws {
        container.register(Pool.self, lifetime: expiring) { _ in Pool() }
        container.register(Holder.self, using: { (lazy: LazyDependency<Pool>) in Holder(lazy: lazy) })
        let error = #expect(throws: DependencyValidationError.self) { try container.validate() }
        #expect(error?.findings.map(\.kind) == [.captive])
        let holder = container.resolve(Holder.self)
        #expect(failure { () throws(DependencyError) in try holder.lazy!.require() }?.reason == .captive)
    }

    @Test func aKeyedInstanceAboveALimitIsRefusedAlsoIfItIsFoundWithoutALock() throws {
        container.register(Pool.self, lifetime: .keyed(limit: 10)) { (_, _: Int) in Pool() }
        container.register(Holder.self) { Holder(pool: try $0.require(Pool.self, arguments: 1)) }
        container.register(Holder.self, named: "transient", lifetime: .transient) {
            Holder(pool: try $0.require(Pool.self, arguments: 1))
        }
        for _ in 0..<4 {
            let error = failure { () throws(DependencyError) in try container.require(Holder.self) }
            #expect(error?.reason == .captive)
            _ = try container.require(Holder.self, named: "transient")
        }
        container.register(Pool.self, lifetime: .keyed, replacing: true) { (_, _: Int) in Pool() }
        _ = try container.require(Holder.self)
    }

    @Test func anInstanceAboveALimitMayKeepOthers() throws {
        container.register([Int].self, lifetime: .keyed(limit: 2)) { (container, number: Int) in
            number == 0 ? [] : [number] + (try container.require([Int].self, arguments: number - 1))
        }
        #expect(try container.require([Int].self, arguments: 3) == [3, 2, 1])
    }

    @Test(arguments: expiring) func anAsynchronousServiceThatLivesLongerIsRefused(expiring: Lifetime) async {
        container.register(Pool.self, lifetime: expiring) { _ async in Pool() }
        container.register(Holder.self) { container async throws in
            Holder(pool: try await container.asyncResolve(Pool.self))
        }
        for _ in 0..<2 {
            let error = await failure { () async throws(DependencyError) in
                try await container.asyncResolve(Holder.self)
            }
            #expect(error?.reason == .captive)
            _ = try? await container.asyncResolve(Pool.self)
        }
    }

    @Test(arguments: expiring) func aCompletionOfAServiceThatLivesLongerIsRefused(expiring: Lifetime) {
        container.register(Pool.self, lifetime: expiring) { _ in Pool() }
        container.register(Holder.self) { _ in
            Holder()
        } afterCreation: { _, container in
            _ = try container.require(Pool.self)
        }
        let error = failure { () throws(DependencyError) in try container.require(Holder.self) }
        #expect(error?.reason == .captive)
    }

    @Test func aChildMayRegisterWhatItFound() throws {
        container.register(Pool.self, lifetime: .cached(in: DependencyScope("session"))) { _ in Pool() }
        let request = container.makeChild()
        request.register(Holder(pool: container.resolve(Pool.self)), for: Holder.self)
        #expect(try request.require(Holder.self).pool === container.resolve(Pool.self))
    }
}
