import Hopoate
import HopoateHummingbird
import Hummingbird
import Logging
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

    private struct Controller: Sendable {
        func show(_ request: Request, context: AppContext) async throws -> String { "fine" }
    }

    private final class First: Sendable {
        init(second: Second) {}
    }

    private final class Second: Sendable {
        init(first: First) {}
    }

    private final class Keeping: Sendable {
        init(work: Work) {}
    }

    /// Every reason why a controller cannot be resolved.
    enum Fault: String, CaseIterable {
        case missing, throwing, throwingLater, missingNeed, circular, captive, throwingHook

        func register(in app: DependencyContainer) {
            switch self {
            case .missing: break
            case .throwing: app.register(Controller.self, lifetime: .transient) { _ in throw Secret() }
            case .throwingLater:
                app.register(Controller.self, lifetime: .singleton) { _ in
                    await Task.yield()
                    throw Secret()
                }
            case .missingNeed:
                app.register(Controller.self, lifetime: .transient) { container in
                    _ = try container.require(Missing.self)
                    return Controller()
                }
            case .circular:
                app.register(First.self, using: First.init)
                app.register(Second.self, using: Second.init)
                app.register(Controller.self, lifetime: .transient) { container in
                    _ = try container.require(First.self)
                    return Controller()
                }
            case .captive:
                app.register(Keeping.self, lifetime: .singleton, using: Keeping.init)
                app.register(Controller.self, lifetime: .transient) { container in
                    _ = try container.require(Keeping.self)
                    return Controller()
                }
            case .throwingHook:
                app.register(Controller.self, lifetime: .transient) { container in
                    _ = try container.require(Work.self)
                    throw Secret()
                }
            }
        }
    }

    @Test(arguments: Fault.allCases) func everyFaultOfAControllerIsA500AndOneLine(fault: Fault) async throws {
        let app = TestApp()
        fault.register(in: app.container)
        app.router.get("method", using: Controller.show)
        app.router.get("service", using: Controller.self) { _, _, _ in "fine" }
        try await app.serve { server in
            for (count, path) in ["/method", "/service", "/method"].enumerated() {
                let answer = try await server.get(path)
                #expect(answer == Answer(status: 500, body: ""))
                #expect(app.errors.count == count + 1)
            }
        }
        #expect(app.errors.allSatisfy { $0.hasPrefix("A service of an HTTP request could not be resolved.") })
        #expect(app.errors.allSatisfy { $0.contains("FailureTests.") })
    }

    @Test func aContainerThatWasShutDownIsA500AndOneLine() async throws {
        let app = TestApp { child, _, _ in child.register(7, for: Int.self) }
        app.container.register(Controller(), for: Controller.self)
        app.router.get("method", using: Controller.show)
        try await app.serve { server in
            let before = try await server.get("/method")
            #expect(before.status == 200)
            try await app.container.shutdown()
            let after = try await server.get("/method")
            #expect(after == Answer(status: 500, body: ""))
        }
        try expectLine(in: app, "A service of an HTTP request could not be resolved.", "shut down")
    }

    @Test func aPreparationWhoseServiceCannotBeCreatedIsA500AndOneLine() async throws {
        let app = TestApp { child, _, _ in _ = try child.require(Missing.self) }
        app.router.get("fine") { _, _ in "fine" }
        try await app.serve { server in
            let answer = try await server.get("/fine")
            #expect(answer == Answer(status: 500, body: ""))
        }
        try expectLine(in: app, "FailureTests.Missing")
    }

    @Test(arguments: [true, false]) func anErrorIsLoggedOnceBehindAMiddlewareThatLogs(isRecorded: Bool) async throws {
        let app = TestApp()
        let router = Router(context: AppContext.self)
        router.add(middleware: ErrorLog())
        if isRecorded {
            router.scoped(to: app.container, logsErrors: false).get("missing", using: Missing.self) { _, _, _ in "fine"
            }
        } else {
            router.add(middleware: RequestScope(app.container, logsErrors: false))
            router.get("missing", using: Missing.self) { _, _, _ in "fine" }
        }
        try await app.serve(router) { server in
            let answer = try await server.get("/missing")
            #expect(answer == Answer(status: 418, body: ""))
        }
        try expectLine(in: app, "the application failed", "FailureTests.Missing")
    }

    @Test func hooksAreLoggedBehindAMiddlewareThatLogs() async throws {
        let app = TestApp()
        app.container.register([Int].self, lifetime: .scoped) { _ in
            [7]
        } onAsyncDispose: { _ in
            throw Refused()
        }
        let router = Router(context: AppContext.self)
        router.add(middleware: ErrorLog())
        router.scoped(to: app.container, logsErrors: false).get("numbers", using: [Int].self) { numbers, _, _ in
            "\(numbers)"
        }
        try await app.serve(router) { server in
            let answer = try await server.get("/numbers")
            #expect(answer == Answer(status: 200, body: "[7]"))
            try await eventually { app.errors.count == 1 }
        }
        try expectLine(in: app, "The disposal hook of a service failed.", "Refused")
    }

    @Test func anErrorIsLoggedOnceInTwoScopes() async throws {
        let app = TestApp()
        app.router.scoped(to: app.container).get("missing", using: Missing.self) { _, _, _ in "fine" }
        try await app.serve { server in
            let answer = try await server.get("/missing")
            #expect(answer == Answer(status: 500, body: ""))
        }
        try expectLine(in: app, "A service of an HTTP request could not be resolved.", "FailureTests.Missing")
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

/// Logs every error and answers it, as an application does that has its own format.
private struct ErrorLog: RouterMiddleware {
    typealias Context = AppContext

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            context.logger.error("the application failed", metadata: ["error": "\(error)"])
            return Response(status: .init(code: 418))
        }
    }
}
