import AsyncHTTPClient
import Foundation
import Hopoate
import HopoateHummingbird
import HopoateServer
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import Testing

/// A service of the application, with a health check.
private final class Store: Sendable {}

/// The health of a container over HTTP.
@Suite struct HealthRouteTests {
    private struct Unreachable: Error, CustomStringConvertible {
        let description = "db.internal refused the password \"\u{7}hunter2\""
    }

    private let app = TestApp()
    private let router = Router(context: AppContext.self)

    private func addCheck(
        for probe: DependencyHealth.Probe = .readiness, check: @escaping @Sendable (Store) async throws -> Void
    ) {
        app.container.addHealthCheck(of: Store.self, for: probe, check: check)
    }

    private func registerStore() { app.container.register(Store(), for: Store.self) }

    /// The line of a check of the store.
    private func line(_ status: String, kind: String = "readiness", rest: String = "") -> String {
        "{\(rest)\"kind\":\"\(kind)\",\"service\":\"HopoateHummingbirdTests.Store\",\"status\":\"\(status)\"}"
    }

    @Test func aHealthyServerAnswers200WithItsChecks() async throws {
        registerStore()
        addCheck { _ in }
        router.addHealthRoutes(of: app.container)
        try await app.serve(router) { server in
            let response = try await server.open("/health/ready")
            #expect(response.status == .ok)
            #expect(response.headers["Cache-Control"] == ["no-store"])
            #expect(response.headers["Content-Type"] == ["application/json; charset=utf-8"])
            let body = try await response.body.collect(upTo: 1_024)
            #expect(String(buffer: body) == "{\"checks\":[\(line("healthy"))],\"status\":\"healthy\"}\n")
            #expect(response.headers["Content-Length"] == ["\(body.readableBytes)"])
            let live = try await server.get("/health/live")
            #expect(live == Answer(status: 200, body: "{\"checks\":[],\"status\":\"healthy\"}\n"))
        }
        #expect(app.scopes.begun == 0)
    }

    @Test(arguments: [false, true]) func anErrorIsInTheResponseOnlyIfAskedFor(showsErrors: Bool) async throws {
        registerStore()
        addCheck { _ in throw Unreachable() }
        router.addHealthRoutes(of: app.container, showsErrors: showsErrors)
        try await app.serve(router) { server in
            let ready = try await server.get("/health/ready")
            let error = showsErrors ? #""error":"db.internal refused the password \"\u0007hunter2\"","# : ""
            let check = line("unhealthy", rest: error)
            #expect(ready == Answer(status: 503, body: "{\"checks\":[\(check)],\"status\":\"unhealthy\"}\n"))
        }
        #expect(app.errors.count == 1 && app.errors[0].contains("hunter2"))
    }

    @Test func aServiceIsNotCreatedForItsCheck() async throws {
        app.container.register(Store.self) { _ in
            Issue.record("a check creates its service")
            return Store()
        }
        addCheck { _ in }
        router.addHealthRoutes(of: app.container)
        try await app.serve(router) { server in
            let ready = try await server.get("/health/ready")
            #expect(ready == Answer(status: 200, body: "{\"checks\":[\(line("notCreated"))],\"status\":\"healthy\"}\n"))
        }
    }

    @Test(arguments: [false, true])
    func aServiceThatCannotBeCreatedIsNotReadyUntilACreationSucceeds(showsErrors: Bool) async throws {
        app.container.register(Store.self) { [journal = app.journal] _ in
            if journal.all.isEmpty { throw Unreachable() }
            return Store()
        }
        addCheck { _ in }
        router.addHealthRoutes(of: app.container, showsErrors: showsErrors)
        try await app.serve(router) { server in
            #expect(throws: DependencyError.self) { try app.container.require(Store.self) }
            for _ in 0..<2 {
                let ready = try await server.get("/health/ready")
                #expect(ready.status == 503 && ready.body.contains("\"status\":\"failed\"}],\"status\":\"unhealthy\"}"))
                #expect(ready.body.contains("hunter2") == showsErrors)
            }
            app.journal.note("reachable")
            _ = try app.container.require(Store.self)
            let ready = try await server.get("/health/ready")
            #expect(ready == Answer(status: 200, body: "{\"checks\":[\(line("healthy"))],\"status\":\"healthy\"}\n"))
        }
        #expect(app.errors.count == 1 && app.errors[0].contains("hunter2"))
        #expect(app.lines { $0 == .notice }.count == 1)
    }

    @Test func aCheckThatHangsIsTimedOut() async throws {
        registerStore()
        addCheck { [journal = app.journal] _ in
            do { try await Task.sleep(for: .seconds(3_600)) } catch { journal.note("cancelled") }
        }
        router.addHealthRoutes(of: app.container, within: .milliseconds(1))
        try await app.serve(router) { server in
            let ready = try await server.get("/health/ready")
            #expect(ready == Answer(status: 503, body: "{\"checks\":[\(line("timedOut"))],\"status\":\"unhealthy\"}\n"))
            try await app.journal.wait(for: "cancelled")
        }
        #expect(app.errors.count == 1 && app.errors[0].contains("timed out"))
    }

    @Test func livenessAsksItsOwnChecksOnly() async throws {
        registerStore()
        addCheck { [journal = app.journal] _ in
            journal.note("readiness")
            throw Unreachable()
        }
        addCheck(for: .liveness) { [journal = app.journal] _ in
            if journal.all.contains("dead") { throw Unreachable() }
        }
        router.addHealthRoutes(of: app.container)
        try await app.serve(router) { server in
            let alive = try await server.get("/health/live")
            let check = line("healthy", kind: "liveness")
            #expect(alive == Answer(status: 200, body: "{\"checks\":[\(check)],\"status\":\"healthy\"}\n"))
            #expect(app.journal.all.isEmpty)
            app.journal.note("dead")
            let dead = try await server.get("/health/live")
            #expect(dead.status == 503)
        }
    }

    @Test(arguments: ["/health/ready", "/health/live"]) func headIsAnsweredWithoutABody(path: String) async throws {
        registerStore()
        addCheck(for: .liveness) { _ in throw Unreachable() }
        router.addHealthRoutes(of: app.container)
        try await app.serve(router) { server in
            let get = try await server.open(path)
            let body = try await get.body.collect(upTo: 1_024)
            let head = try await server.open(path, method: .HEAD)
            #expect(head.status == .serviceUnavailable)
            #expect(head.headers["Content-Length"] == ["\(body.readableBytes)"])
            #expect(head.headers["Cache-Control"] == ["no-store"])
            let rest = try await head.body.collect(upTo: 1_024)
            #expect(rest.readableBytes == 0)
        }
    }

    @Test func pathsCanBeChosenAlsoInAGroup() async throws {
        router.group("internal").addHealthRoutes(of: app.container, ready: "r", live: "l")
        try await app.serve(router) { server in
            for (path, status) in [("/internal/r", 200), ("/internal/l", 200), ("/health/ready", 404)] {
                let answer = try await server.get(path)
                #expect(answer.status == status)
            }
        }
    }

    private struct Report: Decodable {
        struct Check: Decodable {
            let service: String
            let name: String?
            let error: String?
        }

        let checks: [Check]
    }

    @Test func hostileNamesAreEncoded() async throws {
        let names = ["\"}]", "\\", "line\nbreak\u{2028}\0", "</script>", "émoji 👩‍👩‍👧", ""]
        struct Quoted: Error, CustomStringConvertible {
            let description: String
        }
        for name in names {
            app.container.register(Store(), for: Store.self, named: DependencyName(name))
            app.container.addHealthCheck(of: Store.self, named: DependencyName(name)) { _ in
                throw Quoted(description: name)
            }
        }
        router.addHealthRoutes(of: app.container, showsErrors: true)
        try await app.serve(router) { server in
            let ready = try await server.get("/health/ready")
            let report = try JSONDecoder().decode(Report.self, from: Data(ready.body.utf8))
            #expect(report.checks.map(\.name) == names)
            #expect(report.checks.map(\.error) == names)
            #expect(report.checks.allSatisfy { $0.service == "HopoateHummingbirdTests.Store" })
            #expect(ready.body.hasSuffix("\n") && ready.body.count { $0 == "\n" } == 1)
        }
    }

    @Test func aServerThatShutsDownIsAliveAndNotReady() async throws {
        registerStore()
        addCheck(for: .liveness) { _ in throw Unreachable() }
        app.container.register([Int].self) { _ in
            [7]
        } onAsyncDispose: { [journal = app.journal] _ in
            journal.note("closing")
            try await journal.wait(for: "answered")
        }
        _ = app.container.resolve([Int].self)
        router.addHealthRoutes(of: app.container)
        try await app.serve(router) { server in
            let ending = Task { [container = app.container] in try await container.shutdown() }
            try await app.journal.wait(for: "closing")
            for note in ["answered", "ended"] {
                let ready = try await server.get("/health/ready")
                #expect(ready == Answer(status: 503, body: "{\"checks\":[],\"status\":\"shuttingDown\"}\n"))
                let live = try await server.get("/health/live")
                #expect(live == Answer(status: 200, body: "{\"checks\":[],\"status\":\"shuttingDown\"}\n"))
                app.journal.note(note)
                try await ending.value
            }
        }
        #expect(app.errors.isEmpty)
    }

    @Test func outcomesAreLoggedWhenTheyChange() async throws {
        registerStore()
        addCheck { [journal = app.journal] _ in
            if journal.all.last == "down" { throw Unreachable() }
            if journal.all.last == "hanging" { try await Task.sleep(for: .seconds(3_600)) }
        }
        addCheck { _ in }
        router.addHealthRoutes(of: app.container, within: .seconds(3))
        try await app.serve(router) { server in
            func ask(_ state: String, _ status: Int) async throws {
                app.journal.note(state)
                let answer = try await server.get("/health/ready")
                #expect(answer.status == status)
            }
            try await ask("up", 200)
            #expect(app.lines { $0 >= .notice }.isEmpty)
            for _ in 0..<3 { try await ask("down", 503) }
            #expect(app.errors.count == 1)
            try await ask("hanging", 503)
            #expect(app.errors.count == 2)
            for _ in 0..<2 { try await ask("up", 200) }
            #expect(app.lines { $0 == .notice }.count == 1)
            try await ask("down", 503)
        }
        #expect(app.errors.count == 3)
        for part in ["A health check failed.", "Store", "readiness", "HealthRouteTests.swift:", "hunter2"] {
            #expect(app.errors[0].contains(part))
        }
        #expect(app.lines { $0 == .notice }[0].hasPrefix("A health check succeeds again."))
        #expect(app.lines { $0 == .debug }.count { $0.hasPrefix("A health check failed.") } == 2)
    }
}
