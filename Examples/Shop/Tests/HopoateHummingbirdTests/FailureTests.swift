import Hopoate
import HopoateHummingbird
import Hummingbird
import Testing

@Suite struct FailureTests {
    private struct Missing {}

    private struct Failing: Sendable {}

    private struct Secret: Error {}

    @Test func aMissingServiceIsAnsweredWith500AndLogged() async throws {
        let app = TestApp()
        app.router.get("missing") { _, context in
            "\(try context.dependencies.require(Missing.self))"
        }
        app.router.get("fine") { _, _ in "fine" }
        try await app.serve { server in
            let answer = try await server.get("/missing")
            #expect(answer == Answer(status: 500, body: ""))
            let next = try await server.get("/fine")
            #expect(next == Answer(status: 200, body: "fine"))
        }
        try expectLine(
            in: app, "A service of an HTTP request could not be resolved.", "FailureTests.Missing", "no registration")
    }

    @Test func aFactoryThatThrowsIsAnsweredWith500AndLogged() async throws {
        let app = TestApp()
        app.container.register(Failing.self, lifetime: .scoped) { _ in throw Secret() }
        app.router.get("failing", using: Failing.self) { _, _, _ in "fine" }
        try await app.serve { server in
            for _ in 0..<2 {
                let answer = try await server.get("/failing")
                #expect(answer == Answer(status: 500, body: ""))
            }
        }
        #expect(app.errors.count == 2)
        #expect(app.errors.allSatisfy { $0.contains("Secret") && $0.contains("Failing") })
    }

    @Test func otherErrorsOfHandlersAreNotLoggedTwice() async throws {
        let app = TestApp()
        app.router.get("failing") { _, _ -> String in throw Secret() }
        try await app.serve { server in
            let answer = try await server.get("/failing")
            #expect(answer == Answer(status: 500, body: ""))
        }
        #expect(app.errors.isEmpty)
    }

    @Test func aRouteWithoutAScopeIsAnsweredWith500AndTheLogSaysWhatToAdd() async throws {
        let app = TestApp()
        // A router of its own, without the middleware of the application.
        let router = Router(context: AppContext.self)
        router.get("orders/:id") { _, context in
            "\(try context.dependencies.require(Work.self))"
        }
        try await app.serve(router) { server in
            let answer = try await server.get("/orders/7")
            #expect(answer == Answer(status: 500, body: ""))
        }
        try expectLine(in: app, "The route '/orders/{id}' has no request scope.", "Add the middleware `RequestScope`")
    }

    /// Expects one error in the log, with these parts.
    private func expectLine(in app: TestApp, _ parts: String..., location: SourceLocation = #_sourceLocation) throws {
        #expect(app.errors.count == 1, sourceLocation: location)
        let error = try #require(app.errors.first, sourceLocation: location)
        for part in parts { #expect(error.contains(part), sourceLocation: location) }
    }
}
