import Hopoate
import HopoateTestingHelpers
import Testing

private protocol Mailer: Sendable {}
private struct Post: Mailer {}
private struct Checkout: Sendable { let mailer: any Mailer }
private struct Controller: Sendable {
    let checkout: Checkout
    let number: Int
}

/// Validated tests. `.ci/failures` checks with Tests/Fixtures/FailingTests how a finding fails a test.
@Suite struct ValidatedDependenciesTests {
    @Test(
        .validates(roots: Controller.self) { app in
            #expect(app === DependencyContainer.shared)
            await Task.yield()
            app.register((any Mailer).self) { _ in Post() }
            app.register(Checkout.self, lifetime: .transient, using: Checkout.init)
            app.register(Controller.self, lifetime: .transient, using: Controller.init)
        } prepare: { request in
            request.register(7, for: Int.self)
        })
    func testRunsWithTheValidatedContainer() {
        #expect(resolve(Checkout.self).mailer is Post)
        #expect(!DependencyContainer.shared.canResolve(Int.self))
    }

    @Test(.validates { $0.register((any Mailer).self) { _ in Post() } }) func rootsMayBeLeftOut() {
        #expect(resolve((any Mailer).self) is Post)
    }

    @Test func errorOfTheClosureIsThrown() async throws {
        struct Failed: Error, Equatable {}
        let test = try #require(Test.current)
        let trait: IsolatedDependenciesTrait = .validates { _ in throw Failed() }
        await #expect(throws: Failed()) {
            try await trait.provideScope(for: test, testCase: nil) { Issue.record("ran") }
        }
    }
}
