import AsyncHTTPClient
import Hopoate
import HopoateHummingbird
import Hummingbird
import NIOCore
import NIOHTTP1
import Testing

@Suite struct ResponseBodyTests {
    @Test(arguments: [nil, 11]) func aStreamedBodyKeepsItsScopeUntilTheLastByte(length: Int?) async throws {
        let app = TestApp()
        app.router.get("stream") { [journal = app.journal] _, context in
            let container = try context.dependencies
            let work = try container.require(Work.self)
            return Response(
                status: .ok,
                body: ResponseBody(contentLength: length) { writer in
                    try await writer.write(ByteBuffer(string: "first"))
                    try await journal.wait(for: "read")
                    #expect(try container.require(Work.self) === work)
                    try await writer.write(ByteBuffer(string: "second"))
                    journal.note("written")
                    try await writer.finish(nil)
                })
        }
        try await app.serve { server in
            let response = try await server.open("/stream")
            var parts = response.body.makeAsyncIterator()
            let first = try await parts.next()
            #expect(first == ByteBuffer(string: "first"))
            app.journal.note("read")
            var rest = ""
            while let part = try await parts.next() { rest += String(buffer: part) }
            #expect(rest == "second")
            try await app.journal.wait(for: "disposed")
        }
        #expect(app.journal.all == ["read", "written", "disposed"])
    }

    @Test func aServiceThatABodyOfUnknownLengthCreatesIsDisposedOf() async throws {
        let app = TestApp()
        app.router.get("stream") { _, context in
            let container = try context.dependencies
            return Response(
                status: .ok,
                body: ResponseBody { writer in
                    _ = try container.require(Work.self)
                    try await writer.write(ByteBuffer(string: "all"))
                    try await writer.finish(nil)
                })
        }
        try await app.serve { server in
            let answer = try await server.get("/stream")
            #expect(answer == Answer(status: 200, body: "all"))
            try await app.journal.wait(for: "disposed")
        }
        #expect(app.journal.all == ["disposed"])
    }

    @Test func aDisconnectInTheMiddleOfABodyEndsTheScope() async throws {
        let app = TestApp()
        app.router.get("stream") { _, context in
            _ = try context.dependencies.require(Work.self)
            return Response(
                status: .ok,
                body: ResponseBody { writer in
                    while true { try await writer.write(ByteBuffer(repeating: 7, count: 1_024)) }
                })
        }
        try await app.serve { server in
            do {
                let response = try await server.open("/stream")
                var parts = response.body.makeAsyncIterator()
                _ = try await parts.next()
                #expect(app.journal.all.isEmpty)
            }
            // The client has closed the connection, because nobody reads the body any more.
            try await app.journal.wait(for: "disposed")
        }
        #expect(app.journal.all == ["disposed"])
    }

    @Test func aBodyThatThrowsEndsTheScope() async throws {
        let app = TestApp()
        app.router.get("stream") { _, context in
            _ = try context.dependencies.require(Work.self)
            return Response(
                status: .ok,
                body: ResponseBody { writer in
                    try await writer.write(ByteBuffer(string: "first"))
                    throw Refused()
                })
        }
        try await app.serve { server in
            await #expect(throws: (any Error).self) { try await server.get("/stream") }
            try await app.journal.wait(for: "disposed")
        }
        #expect(app.journal.all == ["disposed"])
    }

    @Test(arguments: [HTTPMethod.GET, .HEAD]) func aBodyThatIsNeverWrittenEndsTheScope(method: HTTPMethod) async throws
    {
        let app = TestApp(behind: [Replacing()])
        let handler: @Sendable (Request, AppContext) async throws -> String = { _, context in
            _ = try context.dependencies.require(Work.self)
            return "dropped"
        }
        app.router.get("work", use: handler).head("work", use: handler)
        try await app.serve { server in
            let answer = try await server.get("/work", method: method)
            #expect(answer.status == 202)
            try await app.journal.wait(for: "disposed")
        }
        #expect(app.journal.all == ["disposed"])
    }

    @Test func aHookThatThrowsAfterAnUnwrittenBodyIsLogged() async throws {
        let app = TestApp(behind: [Replacing()])
        app.container.register([Int].self, lifetime: .scoped) { _ in
            [7]
        } onAsyncDispose: { _ in
            throw Refused()
        }
        app.router.get("work") { _, context in
            "\(try context.dependencies.require([Int].self))"
        }
        try await app.serve { server in
            let answer = try await server.get("/work")
            #expect(answer.status == 202)
            try await eventually { app.errors.count == 1 }
        }
        #expect(app.errors.first?.contains("The disposal hook of a service failed.") == true)
    }

    @Test func lengthAndContentOfABodyAreUnchanged() async throws {
        let app = TestApp()
        app.router.get("work") { _, context in
            _ = try context.dependencies.require(Work.self)
            return "done"
        }
        try await app.serve { server in
            let response = try await server.open("/work")
            #expect(response.headers["Content-Length"] == ["4"])
            let body = try await response.body.collect(upTo: 1_024)
            #expect(body == ByteBuffer(string: "done"))
        }
    }
}

/// Replaces each response.
private struct Replacing: RouterMiddleware {
    typealias Context = AppContext

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        _ = try await next(request, context)
        return Response(status: .accepted)
    }
}
