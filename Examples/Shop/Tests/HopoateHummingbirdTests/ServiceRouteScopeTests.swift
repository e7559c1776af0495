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

    @Test(arguments: Way.allCases) func aTaskThatOutlivesItsRequestGetsAnErrorWithoutHooks(way: Way) async throws {
        let app = TestApp()
        app.container.register(Work.self, lifetime: .scoped) { _ in Work() }
        let late = Journal()
        let router = way.router(of: app) { child, _, _ in
            child.register(7, for: Int.self)
        } _: { _, _, context in
            let child = try context.dependencies
            for (name, container) in [("child", child), ("grandchild", child.makeChild())] {
                Task {
                    try await eventually { (try? container.require(Int.self)) == nil }
                    let errors = [
                        #expect(throws: DependencyError.self) { try container.require(Int.self) },
                        #expect(throws: DependencyError.self) { try container.require(Work.self) },
                    ]
                    late.note("\(name): \(errors.allSatisfy { $0?.reason == .shutDown })")
                }
            }
            return "done"
        }
        try await app.serve(router) { server in
            let answer = try await server.get("/work")
            #expect(answer == Answer(status: 200, body: "done"))
            for name in ["child", "grandchild"] { try await late.wait(for: "\(name): true") }
        }
    }

    /// A body of a known length is written like one of an unknown length, although Hummingbird knows its head before.
    @Test(arguments: Way.allCases, [nil, 3]) func aBodyThatCreatesServicesEndsThemInTheirOrder(way: Way, length: Int?)
        async throws
    {
        let app = TestApp()
        app.container.register(Work.self, lifetime: .scoped) { _ in Work() }
        app.registerTransaction()
        let router = way.router(of: app) { _, _, context in
            let child = try context.dependencies
            return Response(
                status: .ok,
                body: ResponseBody(contentLength: length) { writer in
                    _ = try child.require(Transaction.self)
                    try await writer.write(ByteBuffer(string: "all"))
                    try await writer.finish(nil)
                })
        }
        try await app.expectTransaction(of: router)
    }

    @Test(arguments: Way.allCases, [nil, 3]) func aBodyMayResolveThroughAHandle(way: Way, length: Int?) async throws {
        let app = TestApp()
        app.container.register(Work.self, lifetime: .scoped) { _ in Work() }
        app.registerTransaction()
        app.container.register(Later.self, lifetime: .transient, using: Later.init(transaction:))
        let router = way.router(of: app) { _, _, context in
            let later = try context.dependencies.require(Later.self)
            return Response(
                status: .ok,
                body: ResponseBody(contentLength: length) { writer in
                    _ = try later.transaction.require()
                    try await writer.write(ByteBuffer(string: "all"))
                    try await writer.finish(nil)
                })
        }
        try await app.expectTransaction(of: router)
    }

    @Test(arguments: Way.allCases, [false, true]) func aBodyThatCannotUseTheScopeStaysAsItIs(way: Way, isHeld: Bool)
        async throws
    {
        let app = TestApp()
        app.container.register(Work.self, lifetime: .scoped) { _ in Work() }
        let answered = Journal()
        let routes = way.router(of: app) { _, _, context in
            let child = try context.dependencies
            if isHeld {
                Task {
                    try await answered.wait(for: "answered")
                    withExtendedLifetime(child) {}
                }
            }
            return "done"
        }
        let router = Router(context: AppContext.self)
        router.add(middleware: Inspecting(journal: app.journal))
        let responder = routes.buildResponder()
        router.get("work") { request, context in try await responder.respond(to: request, context: context) }
        try await app.serve(router) { server in
            let answer = try await server.get("/work")
            #expect(answer == Answer(status: 200, body: "done"))
            answered.note("answered")
        }
        #expect(app.journal.all == [isHeld ? "closure" : "byteBuffer"])
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

private final class Connection: Sendable {}

/// A service that uses its connection until its asynchronous hook has ended.
private final class Transaction: Sendable {
    init(_ connection: Connection) {}
}

/// A service that resolves the transaction when it needs it.
private struct Later: Sendable {
    let transaction: LazyDependency<Transaction>
}

extension TestApp {
    fileprivate func registerTransaction() {
        container.register(Connection.self, lifetime: .scoped) { _ in
            Connection()
        } onDispose: { [journal] _ in
            journal.note("the connection ends")
        }
        container.register(Transaction.self, lifetime: .scoped) { container in
            Transaction(try container.require(Connection.self))
        } onAsyncDispose: { [journal] _ in
            for _ in 0..<20 { await Task.yield() }
            journal.note("the transaction ends")
            throw Refused()
        }
    }

    /// Checks that the services of an HTTP request end in their order, and that their hooks are awaited.
    fileprivate func expectTransaction(
        of router: Router<AppContext>, at location: SourceLocation = #_sourceLocation
    ) async throws {
        try await serve(router) { server in
            let answer = try await server.get("/work")
            #expect(answer == Answer(status: 200, body: "all"), sourceLocation: location)
            try await journal.wait(for: "the connection ends")
            // The error of a hook that nobody awaits would be lost.
            try await eventually { errors.count == 1 }
        }
        #expect(journal.all == ["the transaction ends", "the connection ends"], sourceLocation: location)
    }
}

/// Notes how Hummingbird would write the body of a response.
private struct Inspecting: RouterMiddleware {
    typealias Context = AppContext

    let journal: Journal

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        let response = try await next(request, context)
        let backing = Mirror(reflecting: response.body).descendant("_backing")
        journal.note(backing.flatMap { Mirror(reflecting: $0).children.first?.label } ?? "unknown")
        return response
    }
}
