import Hopoate
import Testing

private final class Desk: @unchecked Sendable {
    let report: DependencyProvider<Tracked>
    init(report: DependencyProvider<Tracked>) { self.report = report }
}

/// `DependencyProvider`.
@Suite(.mayBlock) struct DependencyProviderTests {
    let container = DependencyContainer()
    let tracker = Tracker()

    @Test func eachCallResolvesAgain() throws {
        container.register(Tracked.self, lifetime: .transient) { [tracker] _ in tracker.make(tracker.made + 1) }
        let provider = container.provider(Tracked.self)
        #expect(tracker.made == 0)
        #expect(provider().number == 1)
        #expect(provider().number == 2)
        #expect(try provider.require().number == 3)
        #expect(provider.optionalResolve()?.number == 4)
        expectGone(tracker)
    }

    @Test func sharedServiceIsTheSameEachTime() {
        container.register(Tracked.self) { [tracker] _ in tracker.make() }
        let provider = container.provider(Tracked.self)
        #expect(provider() === provider())
    }

    @Test func namesAndAnyNumberOfArgumentsAreCaptured() {
        container.register("formal", for: String.self, named: "formal")
        container.register(String.self) { (_, number: Int) in "\(number)" }
        container.register(String.self, named: "formal") { (_, number: Int, text: String) in "\(number)\(text)" }
        #expect(container.provider(String.self, named: "formal")() == "formal")
        #expect(container.provider(String.self, arguments: 7)() == "7")
        #expect(container.provider(String.self, named: "formal", arguments: 7, "EUR")() == "7EUR")
        #expect(container.provider(String.self, arguments: 7, "EUR").optionalResolve() == nil)
    }

    @Test func missingServiceIsAnErrorThatNamesTheCallSite() {
        let error = #expect(throws: DependencyError.self) { try container.provider(String.self).require() }
        #expect(error?.reason == .notRegistered)
        #expect(error?.description.contains("DependencyProviderTests.swift") == true)
        #expect(container.provider(String.self).optionalResolve() == nil)
    }

    @Test func initializerMayTakeAProvider() {
        container.register(Tracked.self, lifetime: .transient) { [tracker] _ in tracker.make() }
        container.register(Desk.self, using: Desk.init)
        let desk = container.resolve(Desk.self)
        #expect(tracker.made == 0)
        #expect(desk.report() !== desk.report())
    }

    @Test func providerDoesNotKeepItsContainerAlive() throws {
        var container: DependencyContainer? = DependencyContainer()
        container?.register(tracker.make(), for: Tracked.self)
        container?.register(Desk.self, using: Desk.init)
        let desk = try #require(container?.resolve(Desk.self))
        #expect(desk.report().isIntact)
        container = nil
        expectGone(tracker)
        let error = #expect(throws: DependencyError.self) { try desk.report.require() }
        #expect(error?.reason == .containerGone)
        #expect(desk.report.optionalResolve() == nil)
    }

    @Test func asynchronousServiceIsCreated() async throws {
        container.register(String.self, lifetime: .transient) { _ async in "later" }
        #expect(try await container.provider(String.self).asyncResolve() == "later")
        let gone = DependencyContainer().provider(String.self)
        let error = await #expect(throws: DependencyError.self) { try await gone.asyncResolve() }
        #expect(error?.reason == .containerGone)
    }

    @Test func handlesOfTheDefaultContainerAlwaysFindIt() {
        let provider = DependencyContainer.shared.provider(DependencyProviderTests.self)
        #expect(provider.optionalResolve() == nil)
        let registration = DependencyContainer.shared.register(self, for: DependencyProviderTests.self)
        #expect(provider.optionalResolve() != nil)
        DependencyContainer.shared.remove(registration)
    }

    @Test(arguments: threadCounts) func providerIsThreadSafe(threads: Int) {
        container.register(Tracked.self, lifetime: .transient) { [tracker] (_, number: Int) in tracker.make(number) }
        let provider = container.provider(Tracked.self, arguments: 7)
        runThreads(threads) { _ in
            for _ in 0..<rounds(2_000) { check(provider().number == 7) }
        }
        expectGone(tracker)
    }
}
