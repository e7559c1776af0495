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

    @Test func findingsAreIssuesAtThePlaceOfTheRegistration() async throws {
        let test = try #require(Test.current)
        let line = #line + 2
        let trait: IsolatedDependenciesTrait = .validates(roots: Controller.self) { app in
            app.register(Checkout.self, using: Checkout.init)
        }
        let hasRun = Kept()
        try await withKnownIssue {
            try await trait.provideScope(for: test, testCase: nil) { hasRun.value = true }
        } matching: { issue in
            let text = issue.description
            if text.contains("Mailer', which is not registered") { return issue.sourceLocation?.line == line }
            return text.contains("missing: ") && text.contains("Controller' is not registered")
                && issue.sourceLocation?.line == line - 1
        }
        #expect(hasRun.value)
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

// Unchecked, because of the variable. Sound, because it is set before the scope ends and read afterwards.
private final class Kept: @unchecked Sendable { var value = false }
