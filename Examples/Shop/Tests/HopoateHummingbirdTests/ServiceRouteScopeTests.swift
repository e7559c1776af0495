import Hopoate
import HopoateHummingbird
import Hummingbird
import Testing

/// A route with `using:` does the work of the request scope itself, unless there is a middleware in between. Both ways do the same, and so
/// do closures that suspend and closures that do not.
@Suite struct ServiceRouteScopeTests {
    enum Way: CaseIterable {
        case direct, behindMiddleware, inGroup, behindMiddlewareOfGroup
        case suspending, suspendingBehindMiddleware

        /// Returns a router with one service route, `GET /work`.
        func router<Output: ResponseGenerator>(
            of app: TestApp, prepare: @escaping RequestScope<AppContext>.SynchronousPreparation = { _, _, _ in },
            _ handler: @escaping @Sendable (Work, Request, AppContext) async throws -> Output
        ) -> Router<AppContext> {
            let router = Router(context: AppContext.self)
            let routes = routes(
                of: router, in: app.container,
                prepare: { [scopes = app.scopes] child, request, context in
                    scopes.add(child)
                    try prepare(child, request, context)
                })
            switch self {
            case .direct, .suspending: routes.get("work", using: Work.self, handler: handler)
            case .behindMiddleware, .suspendingBehindMiddleware:
                routes.add(middleware: Passing()).get("work", using: Work.self, handler: handler)
            case .inGroup: routes.group("work").get(using: Work.self, handler: handler)
            case .behindMiddlewareOfGroup:
                routes.group("work").add(middleware: Passing()).get(using: Work.self, handler: handler)
            }
            return router
        }

        private func routes(
            of router: Router<AppContext>, in container: DependencyContainer,
            prepare: @escaping RequestScope<AppContext>.SynchronousPreparation
        ) -> DependencyRoutes<AppContext> {
            switch self {
            case .direct, .behindMiddleware, .inGroup, .behindMiddlewareOfGroup:
                router.scoped(to: container, prepare: prepare)
            case .suspending, .suspendingBehindMiddleware:
                router.scoped(to: container) { child, request, context in
                    await Task.yield()
                    try prepare(child, request, context)
                }
            }
        }
    }

    @Test(arguments: Way.allCases) func theServiceComesFromTheContainerOfTheRequest(way: Way) async throws {
        let app = TestApp()
        let router = way.router(of: app) { child, request, _ in
            child.register(request.uri.path, for: String.self)
        } _: { work, _, context in
            #expect(try context.dependencies.require(Work.self) === work)
            return try context.dependencies.require(String.self)
        }
        try await app.serve(router) { server in
            for number in 1...3 {
                let answer = try await server.get("/work")
                #expect(answer == Answer(status: 200, body: "/work"))
                try await app.journal.wait(for: "disposed", times: number)
            }
        }
        #expect(app.journal.all == ["disposed", "disposed", "disposed"])
        #expect(app.scopes.begun == 3)
        #expect(app.errors.isEmpty)
    }

    @Test(arguments: Way.allCases) func aThrowingHandlerEndsItsScopeBeforeTheResponse(way: Way) async throws {
        let app = TestApp()
        let router = way.router(of: app) { _, _, _ -> String in throw HTTPError(.conflict) }
        try await app.serve(router) { server in
            let answer = try await server.get("/work")
            #expect(answer.status == 409)
            #expect(app.journal.all == ["disposed"])
        }
        #expect(app.journal.all == ["disposed"])
        #expect(app.errors.isEmpty)
    }

    @Test(arguments: Way.allCases) func theScopeEndsAfterTheBody(way: Way) async throws {
        let app = TestApp()
        let router = way.router(of: app) { [journal = app.journal, scopes = app.scopes] _, _, _ in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    #expect(scopes.live == 1)
                    try await writer.write(ByteBuffer(string: "body"))
                    journal.note("written")
                    try await writer.finish(nil)
                })
        }
        try await app.serve(router) { server in
            let answer = try await server.get("/work")
            #expect(answer == Answer(status: 200, body: "body"))
            try await app.journal.wait(for: "disposed")
        }
        #expect(app.journal.all == ["written", "disposed"])
    }

    @Test(arguments: Way.allCases) func aThrowingPreparationEndsTheScope(way: Way) async throws {
        let app = TestApp()
        let router = way.router(of: app) { child, _, _ in
            _ = try child.require(Work.self)
            throw HTTPError(.unauthorized)
        } _: { [journal = app.journal] _, _, _ in
            journal.note("handled")
            return "done"
        }
        try await app.serve(router) { server in
            let answer = try await server.get("/work")
            #expect(answer.status == 401)
            #expect(app.journal.all == ["disposed"])
        }
        #expect(app.journal.all == ["disposed"])
    }

    @Test(arguments: Way.allCases) func aServiceThatCannotBeCreatedIsA500AndOneLine(way: Way) async throws {
        let app = TestApp()
        app.container.register(Work.self, lifetime: .scoped) { _ in throw Refused() }
        let router = way.router(of: app) { _, _, _ in "done" }
        try await app.serve(router) { server in
            let answer = try await server.get("/work")
            #expect(answer == Answer(status: 500, body: ""))
        }
        #expect(app.errors.count == 1)
        #expect(app.errors.allSatisfy { $0.contains("could not be resolved") && $0.contains("Refused") })
    }

    @Test(arguments: Way.allCases) func aCancelledRequestStillRunsItsHooks(way: Way) async throws {
        let app = TestApp()
        let router = way.router(of: app) { [journal = app.journal] _, _, _ in
            journal.note("arrived")
            try await Task.sleep(for: .seconds(3_600))
            return "done"
        }
        try await app.expectHooks(ofCancelledRequestTo: router)
    }

    @Test func routesHaveTheMiddlewaresThatWereAddedBefore() async throws {
        let app = TestApp()
        let router = Router(context: AppContext.self)
        let routes = router.scoped(to: app.container) { child, _, _ in child.register(7, for: Int.self) }
        routes.get("before", using: Int.self) { number, _, _ in "before \(number)" }
        routes.add(middleware: Requiring())
        routes.get("after", using: Int.self) { number, _, _ in "after \(number)" }
        routes.group("group").get("after", using: Int.self) { number, _, _ in "after \(number)" }
        try await app.serve(router) { server in
            let before = try await server.get("/before")
            #expect(before == Answer(status: 200, body: "before 7"))
            for path in ["/after", "/group/after"] {
                let after = try await server.get(path)
                #expect(after == Answer(status: 207, body: "after 7"))
            }
        }
    }

    @Test func aRouteOfAnInnerScopeHasBothScopes() async throws {
        let app = TestApp()
        let inner = DependencyContainer()
        inner.register(7, for: Int.self)
        let router = Router(context: AppContext.self)
        let outside = router.scoped(to: app.container) { [scopes = app.scopes] child, _, _ in scopes.add(child) }
        outside.scoped(to: inner) { [scopes = app.scopes] child, _, _ in scopes.add(child) }
            .get("number", using: Int.self) { number, _, context in
                "\(number) \(try context.dependencies.require(Int.self))"
            }
        try await app.serve(router) { server in
            let answer = try await server.get("/number")
            #expect(answer == Answer(status: 200, body: "7 7"))
        }
        #expect(app.scopes.begun == 2)
    }
}
