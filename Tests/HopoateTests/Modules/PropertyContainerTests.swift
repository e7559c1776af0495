import Hopoate
import Testing

private protocol Client: Sendable { var name: String { get } }
private struct Fixed: Client { var name: String }

/// The services of one user flow.
private final class Flow: @unchecked Sendable {
    var client: any Client = Fixed(name: "client")
    let replica: any Client = Fixed(name: "replica")
    var store: Tracked
    var made = 0
    var number: Int {
        made += 1
        return made
    }
    init(_ store: Tracked) { self.store = store }
}
private struct Constants: Sendable {
    var client: any Client = Fixed(name: "client")
    var httpClient: [String] = ["http"]
    var computed: Int { 7 }
}
private class Open: @unchecked Sendable { var overridable = 1 }

/// Properties as services.
@Suite(.mayBlock) struct PropertyContainerTests {
    let container = DependencyContainer()
    let tracker = Tracker()

    @Test func propertiesAreServicesOfTheirTypes() {
        let flow = Flow(tracker.make(7))
        container.install(flow, \.client, \.store, \.number)
        #expect(container.resolve((any Client).self).name == "client")
        #expect(container.resolve(Tracked.self) === flow.store)
        #expect(container.withService(Tracked.self) { $0.number } == 7)
    }

    @Test func propertiesAreReadAtEachResolve() {
        let flow = Flow(tracker.make(7))
        container.install(flow, \.client, \.number)
        #expect(flow.made == 0)
        #expect(container.resolve(Int.self) == 1)
        #expect(container.resolve(Int.self) == 2)
        flow.client = Fixed(name: "other")
        #expect(container.resolve((any Client).self).name == "other")
    }

    @Test func structureIsInstalledAsACopy() {
        var constants = Constants()
        container.install(constants, \.client, \.computed)
        constants.client = Fixed(name: "changed")
        #expect(container.resolve((any Client).self).name == "client")
        #expect(container.resolve(Int.self) == 7)
    }

    @Test func storedPropertyNamesCanBecomeServiceNames() {
        let flow = Flow(tracker.make())
        container.install(flow, usingPropertyNames: true, \.client, \.replica, \.store)
        #expect(container.resolve((any Client).self, named: "client").name == "client")
        #expect(container.resolve((any Client).self, named: "replica").name == "replica")
        #expect(container.resolve(Tracked.self, named: "store") === flow.store)
        #expect(container.resolve((any Client).self).name == "replica")
        container.install(Constants(), usingPropertyNames: true, \.httpClient)
        #expect(container.resolve([String].self, named: "httpClient") == ["http"])
    }

    @Test func propertiesAreUnnamedByDefault() {
        container.install(Constants(), \.client)
        #expect(container.optionalResolve((any Client).self, named: "client") == nil)
    }

    @Test func explicitNamesWorkForAllKindsOfProperties() {
        let installation = container.install(
            Constants(), .property(\.client), .property(\.computed, named: "number"),
            .property(\.httpClient.first, named: "first"))
        #expect(container.resolve((any Client).self).name == "client")
        #expect(container.resolve(Int.self, named: "number") == 7)
        #expect(container.resolve(Int.self) == 7)
        #expect(container.resolve(String?.self, named: "first") == "http")
        container.uninstall(installation)
        #expect(!container.canResolve(Int.self, named: "number"))
        #expect(!container.canResolve(Int.self))
    }

    @Test func newestPropertyWinsAndUninstallUncoversThePreviousOne() {
        container.register(Fixed(name: "before"), for: (any Client).self)
        let app = container.install(Constants(), \.client)
        let flow = container.install(Flow(tracker.make()), \.replica)
        #expect(container.resolve((any Client).self).name == "replica")
        container.uninstall(app)
        #expect(container.resolve((any Client).self).name == "replica")
        container.uninstall(flow)
        #expect(container.resolve((any Client).self).name == "before")
    }

    @Test func providerIsKeptUntilItIsUninstalled() {
        let installation = container.install(Flow(tracker.make()), usingPropertyNames: true, \.client, \.store)
        #expect(container.resolve(Tracked.self).isIntact)
        container.uninstall(installation)
        expectGone(tracker)
        container.uninstall(installation)
    }

    @Test func providerThatHoldsItsOwnTokenIsNoRetainCycle() {
        final class Owner: @unchecked Sendable {
            let tracked: Tracked
            var installation: Installation?
            init(_ tracked: Tracked) { self.tracked = tracked }
        }
        do {
            let container = DependencyContainer()
            let owner = Owner(tracker.make())
            owner.installation = container.install(owner, \.tracked)
        }
        expectGone(tracker)
    }

    @Test func propertiesInstalledByAModuleBelongToIt() throws {
        struct Module: DependencyModule {
            func register(in container: DependencyContainer) { container.install(Constants(), \.client, \.computed) }
        }
        let installation = try container.install(Module())
        #expect(container.canResolve(Int.self))
        container.uninstall(installation)
        #expect(!container.canResolve(Int.self))
        #expect(!container.canResolve((any Client).self))
    }

    @Test(arguments: threadCounts) func flowsComeAndGoWhileOthersResolve(threads: Int) {
        container.install(Flow(tracker.make()), \.store)
        runThreads(threads) { [container, tracker] index in
            for round in 0..<rounds(500) {
                if (index + round) % 4 == 0 {
                    let installation = container.install(
                        Flow(tracker.make(round)), usingPropertyNames: true, \.store, \.client)
                    container.uninstall(installation)
                } else {
                    check(container.resolve(Tracked.self).isIntact)
                }
            }
        }
        container.removeAll()
        expectGone(tracker)
    }

    #if compiler(>=6.2)
        @Test func undeterminedPropertyNameTrapsWithTheRemedy() async {
            let computed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                DependencyContainer().install(Constants(), usingPropertyNames: true, \.computed)
            }
            let overridable = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                DependencyContainer().install(Open(), usingPropertyNames: true, \.overridable)
            }
            for result in [computed, overridable] {
                let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
                #expect(text.contains("Cannot register 'Swift.Int' at HopoateTests/PropertyContainerTests.swift:"))
                #expect(text.contains(".property(…, named: …)"))
            }
        }
    #endif
}
