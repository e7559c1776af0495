import AsyncHTTPClient
import Hopoate
import HopoateHummingbird
import HopoateServer
import Hummingbird
import NIOCore
import NIOHTTP1
import Testing

/// Fields that show that an HTTP request is HTTP/1.
private let browser: HTTPHeaders = ["User-Agent": "test"]

/// Health checks and the connections of the clients that request them.
@Suite struct HealthConnectionTests {
    private let app = TestApp()

    /// Returns a router with health routes, for one check.
    private func makeRouter(check: @escaping @Sendable () async throws -> Void) -> Router<AppContext> {
        let router = Router(context: AppContext.self)
        router.add(middleware: NotingConnections(journal: app.journal))
        app.container.register(7, for: Int.self)
        app.container.addHealthCheck(of: Int.self) { _ in try await check() }
        router.addHealthRoutes(of: app.container, within: .seconds(3_600))
        return router
    }

    @Test func aClientThatDisconnectsCancelsTheChecks() async throws {
        let router = makeRouter { [journal = app.journal] in
            journal.note("checking")
            do {
                try await Task.sleep(for: .seconds(3_600))
            } catch {
                journal.note("cancelled")
                throw error
            }
        }
        try await app.serve(router) { server in
            let asking = Task { try await server.open("/health/ready", headers: browser) }
            try await app.journal.wait(for: "checking")
            asking.cancel()
            _ = await asking.result
            try await app.journal.wait(for: "cancelled")
            try await app.journal.wait(for: "answered")
        }
        // That says nothing about the service.
        #expect(app.errors.isEmpty)
    }

    @Test func aServerThatIsCancelledCancelsTheChecks() async throws {
        let router = makeRouter { [journal = app.journal] in
            journal.note("checking")
            do {
                try await Task.sleep(for: .seconds(3_600))
            } catch {
                journal.note("cancelled")
                throw error
            }
        }
        try await app.serve(router) { server in
            let asking = Task { try await server.get("/health/ready") }
            try await app.journal.wait(for: "checking")
            server.running.cancel()
            _ = await asking.result
            try await app.journal.wait(for: "cancelled")
        }
        // Hummingbird logs that it was cancelled.
        #expect(!app.errors.contains { $0.hasPrefix("A health check") })
    }

    @Test func aWatchedConnectionEndsWithItsResponse() async throws {
        let router = makeRouter { try await Task.sleep(for: .milliseconds(300)) }
        try await app.serve(router) { server in
            for _ in 0..<2 {
                let ready = try await server.open("/health/ready", headers: browser)
                #expect(ready.status == .ok)
                #expect(ready.headers["Connection"] == ["close"])
                _ = try await ready.body.collect(upTo: 1_024)
            }
        }
        let ports = app.journal.all.filter { $0.hasPrefix("port") }
        #expect(ports.count == 2 && ports.first != ports.last)
    }

    /// HTTP/2 forbids the field.
    @Test func aConnectionThatMayBeHTTP2IsNotWatched() async throws {
        let router = makeRouter { try await Task.sleep(for: .milliseconds(300)) }
        try await app.serve(router) { server in
            for _ in 0..<2 {
                let ready = try await server.open("/health/ready", headers: ["user-agent": "small letters"])
                #expect(ready.status == .ok)
                #expect(ready.headers["Connection"].isEmpty)
                _ = try await ready.body.collect(upTo: 1_024)
            }
        }
        let ports = app.journal.all.filter { $0.hasPrefix("port") }
        #expect(ports.count == 2 && ports.first == ports.last)
    }

    @Test func aFastCheckLeavesTheConnectionOpen() async throws {
        let router = makeRouter {}
        try await app.serve(router) { server in
            // A machine under load may take longer than the routes wait before they watch the connection.
            try await eventually {
                for _ in 0..<2 {
                    let ready = try await server.open("/health/ready", headers: browser)
                    #expect(ready.status == .ok)
                    _ = try await ready.body.collect(upTo: 1_024)
                }
                let ports = app.journal.all.filter { $0.hasPrefix("port") }.suffix(2)
                return ports.count == 2 && ports.first == ports.last
            }
        }
    }

    @Test func aReplacedBodyIsNotWatched() async throws {
        let router = Router(context: AppContext.self)
        router.add(middleware: ReplacingBody())
        app.container.register(7, for: Int.self)
        app.container.addHealthCheck(of: Int.self) { _ in try await Task.sleep(for: .milliseconds(300)) }
        router.addHealthRoutes(of: app.container, within: .seconds(3_600))
        try await app.serve(router) { server in
            let ready = try await server.open("/health/ready", headers: browser)
            #expect(ready.status == .ok)
            #expect(ready.headers["Connection"].isEmpty)
        }
    }
}

/// Notes the connection of each HTTP request, and the end of its handler.
private struct NotingConnections: RouterMiddleware {
    let journal: Journal

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        journal.note("port \(context.clientPort ?? 0)")
        defer { journal.note("answered") }
        return try await next(request, context)
    }
}

/// Replaces the body of each HTTP request, as a middleware does that decompresses.
private struct ReplacingBody: RouterMiddleware {
    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        try await next(Request(head: request.head, body: RequestBody(buffer: ByteBuffer())), context)
    }
}
