import AsyncHTTPClient
import Foundation
import Hopoate
import HopoateHummingbird
import HopoateServer
import Hummingbird
import NIOCore
import NIOHTTP1
import Testing

private struct Clock: Sendable {}
private struct Database: Sendable {
    init(clock: Clock) {}
}
private struct Cart: Sendable {
    init(database: Database, absent: Absent) {}
}
private struct Absent: Sendable {}
private struct `</script><img src=x onerror=alert(1)>`: Sendable {}

extension DependencyValues {
    fileprivate enum PageColour: DependencyKey {
        static var defaultValue: Int { 0 }
    }
    fileprivate var pageColour: Int {
        get { self[PageColour.self] }
        set { self[PageColour.self] = newValue }
    }
}

/// The page of `addSnapshotPage`, over sockets.
@Suite struct SnapshotPageTests {
    private let app = TestApp()

    private func page(
        _ path: String = "/internal/dependencies", accept: String? = nil,
        prepare: (@Sendable (DependencyContainer) throws -> Void)? = nil
    ) async throws -> Page {
        let answers = Answers()
        let router = Router(context: AppContext.self)
        router.addSnapshotPage("internal/dependencies", of: app.container, prepare: prepare)
        try await app.serve(router) { server in
            var request = HTTPClientRequest(url: "http://127.0.0.1:\(server.port)\(path)")
            if let accept { request.headers.add(name: "Accept", value: accept) }
            let response = try await server.client.execute(request, timeout: .minutes(2))
            let body = try await response.body.collect(upTo: 16 * 1_024 * 1_024)
            await answers.add(
                Page(status: Int(response.status.code), headers: response.headers, body: String(buffer: body)))
        }
        return try #require(await answers.all.first)
    }

    @Test func htmlShowsEachRegistration() async throws {
        app.container.recordCreations()
        app.container.register(Clock(), for: Clock.self)
        app.container.register(Database.self, using: Database.init)
        app.container.register(Cart.self, named: "guest", lifetime: .scoped, using: Cart.init)
        _ = app.container.resolve(Database.self)
        let page = try await page()
        #expect(page.status == 200)
        #expect(page.headers["Content-Type"] == ["text/html; charset=utf-8"])
        #expect(page.body.components(separatedBy: "<tr id=").count - 1 == 4)
        for part in [
            "HopoateHummingbirdTests.Cart named &quot;guest&quot;", "Cart “guest”</bdi>",
            ">Absent</bdi> <span class=\"bad\">missing</span>", "SnapshotPageTests.swift:", "class=\"bar critical\"",
            "<svg class=\"graph\"", "scope=\"col\"", "<caption>",
        ] {
            #expect(page.body.contains(part), "\(part)")
        }
    }

    @Test func aPreparedPageShowsTheServicesOfARequest() async throws {
        app.container.register(Cart.self, lifetime: .scoped, using: Cart.init)
        app.container.register(Database(clock: Clock()), for: Database.self)
        let page = try await page { $0.register(Absent(), for: Absent.self) }
        #expect(page.body.contains("brought by each request"))
        #expect(!page.body.contains("class=\"bad\">missing") && !page.body.contains("in the parent"))
        #expect(page.body.contains("<dt>missing dependencies</dt><dd>0</dd>"))
        struct Refused: Error {}
        let failed = try await self.page { _ in throw Refused() }
        #expect(failed.status == 500)
    }

    @Test func dependentsAndTheLongestPathAreShown() async throws {
        app.container.register(Clock(), for: Clock.self)
        app.container.register(Database.self, using: Database.init)
        let body = try await page().body
        #expect(body.contains("<td data-value=\"1\">1<ul><li><a href=\"#r"))
        #expect(body.contains("Longest path, 2 services: "))
    }

    @Test func theNumberOfManyDependentsIsShown() async throws {
        app.container.register(Clock(), for: Clock.self)
        for number in 0..<10 {
            app.container.register(Database.self, named: DependencyName("\(number)"), using: Database.init)
        }
        let body = try await page().body
        #expect(body.contains("<td data-value=\"10\">10<ul><li><a href=\"#r"))
        #expect(body.contains("<li><small>and 2 more</small></li></ul>"))
    }

    @Test func healthChecksAreNotCountedAsRegistrationsOfTheTable() async throws {
        app.container.register(Clock(), for: Clock.self)
        app.container.register(Database.self, using: Database.init)
        func others() async throws -> String? {
            try await page().body.firstMatch(of: #/[0-9]+ registrations without a known dependency/#).map {
                String($0.output)
            }
        }
        let without = try await others()
        app.container.addHealthCheck(of: Clock.self) { _ in }
        #expect(try await others() == without)
        app.container.register(Absent(), for: Absent.self)
        #expect(try await others() != without)
    }

    @Test func healthChecksAreCountedAndValuesAreNamed() async throws {
        app.container.register(Clock(), for: Clock.self)
        app.container.addHealthCheck(of: Clock.self) { _ in }
        app.container.values.pageColour = 7
        let body = try await page().body
        #expect(body.contains("<dt>health checks</dt><dd>1</dd>"))
        #expect(!body.contains("DependencyHealthCheck"))
        #expect(body.contains("environment value") && !body.contains("unknown place"))
    }

    @Test func timeOfTheSnapshotIsInUTC() async throws {
        let earliest = Date() - 1
        let body = try await page().body
        let time = try #require(body.firstMatch(of: #/<time datetime="([^"]*)">([^<]*) UTC</time>/#)?.output)
        let date = try Date(String(time.1), strategy: .iso8601)
        #expect((earliest...Date()).contains(date))
        #expect("\(time.2)Z" == time.1.replacing("T", with: " "))
    }

    @Test func jsonIsAnsweredByPathAndByHeader() async throws {
        app.container.register(Clock(), for: Clock.self, named: "wall")
        let expected = app.container.snapshot().registrations
        for page in [
            try await page("/internal/dependencies.json"), try await page(accept: "application/json;q=1"),
        ] {
            #expect(page.headers["Content-Type"] == ["application/json"])
            #expect(page.body.hasSuffix("}\n"))
            #expect(
                try JSONDecoder().decode(DependencySnapshot.self, from: Data(page.body.utf8)).registrations == expected)
        }
        let browser = try await page(accept: "text/html,application/xhtml+xml,application/json;q=0.9,*/*;q=0.8")
        #expect(browser.headers["Content-Type"] == ["text/html; charset=utf-8"])
    }

    @Test func policyAllowsOnlyTheStyleAndTheScriptOfThisResponse() async throws {
        var nonces: Set<String> = []
        for _ in 1...3 {
            let page = try await page()
            let policy = try #require(page.headers["Content-Security-Policy"].first)
            #expect(policy.hasPrefix("default-src 'none'; "))
            #expect(!policy.contains("unsafe"))
            let nonce = try #require(policy.firstMatch(of: #/script-src 'nonce-([0-9a-z]{20,})'/#)?.output.1)
            nonces.insert(String(nonce))
            #expect(page.body.components(separatedBy: "<script nonce=\"\(nonce)\">").count == 2)
            #expect(page.body.components(separatedBy: "<style nonce=\"\(nonce)\">").count == 2)
            #expect(page.body.components(separatedBy: "<script").count == 2)
            #expect(page.body.firstMatch(of: #/\s(style|on[a-z]+)="/#) == nil)
            #expect(page.body.firstMatch(of: #/(src|href|url)[=(]"?(https?:|//)/#) == nil)
            #expect(page.headers["Cache-Control"] == ["no-store"])
            #expect(page.headers["X-Content-Type-Options"] == ["nosniff"])
        }
        #expect(nonces.count == 3)
    }

    @Test(arguments: [
        "</script><img src=x onerror=alert(1)>", "<!--", "\" onfocus=alert(1) x=\"", "'`\\", "\u{202E}gpj.exe",
        "\u{2028}\u{0}",
        "&lt;b&gt;",
    ])
    func namesAreEscaped(name: String) async throws {
        app.container.register(`</script><img src=x onerror=alert(1)>`.self, named: DependencyName(name)) { _ in .init()
        }
        let page = try await page()
        #expect(!page.body.contains("<img"))
        #expect(!page.body.contains("<!--"))
        #expect(!page.body.contains("\" onfocus"))
        #expect(page.body.contains("onerror=alert(1)&gt;"))
        let hidden: Set<Unicode.Scalar> = ["\u{202E}", "\u{2028}", "\u{0}"]
        #expect(!page.body.unicodeScalars.contains(where: hidden.contains))
        if name.contains("\u{202E}") { #expect(page.body.contains("⟨U+202E⟩gpj.exe")) }
        if name.contains("&lt;") { #expect(page.body.contains("&amp;lt;b&amp;gt;")) }
    }

    @Test func thousandRegistrationsAreListedAndNotDrawn() async throws {
        for number in 0..<1_000 {
            app.container.register(Database.self, named: DependencyName("\(number)"), using: Database.init)
        }
        let page = try await page()
        #expect(page.body.components(separatedBy: "<tr id=").count - 1 == 1_001)
        #expect(!page.body.contains("<svg class=\"graph\""))
        #expect(page.body.contains("too many for a drawing"))
    }

    @Test func cyclesAndEmptyContainersAreDrawn() async throws {
        #expect(try await page().body.contains("No dependency is known."))
        app.container.register(Database.self, using: { (_: Cart) in Database(clock: Clock()) })
        app.container.register(
            Cart.self, using: { (_: Database) in Cart(database: Database(clock: Clock()), absent: Absent()) })
        let page = try await page()
        #expect(page.body.components(separatedBy: "<path class=\"edge").count - 1 == 2)
    }

    @Test func pageIsOffUnlessItIsAdded() async throws {
        try await app.serve { server in
            let answer = try await server.get("/internal/dependencies")
            #expect(answer.status == 404)
        }
    }
}

private struct Page: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let body: String
}

private actor Answers {
    private(set) var all: [Page] = []
    func add(_ page: Page) { all.append(page) }
}
