import AsyncHTTPClient
import Hopoate
import HopoateHummingbird
import Hummingbird
import InMemoryLogging
import Logging
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import Synchronization
import Testing

struct AppContext: DependencyRequestContext {
    var coreContext: CoreRequestContextStorage
    var requestContainer: DependencyContainer?
    /// Tells connections apart.
    let clientPort: Int?

    init(source: Source) {
        coreContext = .init(source: source)
        clientPort = source.channel.remoteAddress?.port
    }
}

/// A service of one HTTP request.
final class Work: Sendable {}

/// An application with a journal. When a request scope ends, it adds a line to the journal.
struct TestApp {
    let container = DependencyContainer()
    let journal = Journal()
    let scopes = Scopes()
    let log = InMemoryLogHandler()
    let router = Router(context: AppContext.self)

    /// Creates an application without routes.
    ///
    /// - Parameters:
    ///   - outer: Middlewares before the request scope.
    ///   - prepare: Runs for each HTTP request, after the scope was counted.
    init(
        behind outer: [any MiddlewareProtocol<Request, Response, AppContext>] = [],
        prepare: @escaping RequestScope<AppContext>.Preparation = { _, _, _ in }
    ) {
        container.register(Work.self, lifetime: .scoped) { _ in
            Work()
        } onAsyncDispose: { [journal] _ in
            await Task.yield()
            journal.note(Task.isCancelled ? "disposed of in a cancelled task" : "disposed")
        }
        for middleware in outer { router.add(middleware: middleware) }
        router.add(
            middleware: RequestScope(container) { [scopes] child, request, context in
                scopes.add(child)
                try await prepare(child, request, context)
            })
    }

    /// Serves on a free port while the body runs. Checks that each request scope has been released.
    ///
    /// - Parameter other: A router to serve instead of that of the application.
    func serve(_ other: Router<AppContext>? = nil, _ body: (TestServer) async throws -> Void) async throws {
        let (ports, opened) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: other ?? router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { opened.yield($0.localAddress?.port ?? 0) },
            logger: Logger(label: "server") { [log] _ in
                var log = log
                log.logLevel = .debug
                return log
            })
        let group = ServiceGroup(
            services: [application], logger: Logger(label: "group") { _ in SwiftLogNoOpLogHandler() })
        let running = Task {
            defer { opened.finish() }
            try await group.run()
        }
        let port = try #require(await ports.first { _ in true })
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: .init())
        do {
            try await body(TestServer(port: port, client: client, running: running))
        } catch {
            Issue.record(error)
        }
        try await client.shutdown()
        await group.triggerGracefulShutdown()
        _ = await running.result
        try await eventually { scopes.live == 0 }
    }

    /// Cancels the server while it handles `GET /work`, and checks that the request has run its disposal hooks.
    ///
    /// - Parameter router: Its handler notes "arrived", and then waits until it is cancelled.
    func expectHooks(
        ofCancelledRequestTo router: Router<AppContext>, at location: SourceLocation = #_sourceLocation
    ) async throws {
        try await serve(router) { server in
            let answer = Task { try await server.get("/work") }
            try await journal.wait(for: "arrived")
            server.running.cancel()
            _ = await answer.result
            try await journal.wait(for: "disposed")
        }
        #expect(journal.all == ["arrived", "disposed"], sourceLocation: location)
    }

    /// The errors in the log, with their metadata in one line.
    var errors: [String] { lines { $0 >= .error } }

    /// The messages of some levels, with their metadata in one line.
    func lines(where isIncluded: (Logger.Level) -> Bool) -> [String] {
        log.entries.filter { isIncluded($0.level) }.map { "\($0.message) \($0.metadata)" }
    }
}

/// A server that runs in this process.
struct TestServer: Sendable {
    let port: Int
    let client: HTTPClient
    let running: Task<Void, any Error>

    /// Sends an HTTP request and returns the head of the response.
    func open(
        _ path: String, method: HTTPMethod = .GET, headers: HTTPHeaders = [:]
    ) async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
        request.method = method
        request.headers = headers
        return try await client.execute(request, timeout: .minutes(2))
    }

    /// Sends an HTTP request and returns the whole response.
    func get(_ path: String, method: HTTPMethod = .GET) async throws -> Answer {
        let response = try await open(path, method: method)
        let body = try await response.body.collect(upTo: 1_024 * 1_024)
        return Answer(status: Int(response.status.code), body: String(buffer: body))
    }
}

struct Answer: Equatable {
    let status: Int
    let body: String
}

/// The request scopes that have begun.
final class Scopes: Sendable {
    private struct Entry {
        weak var container: DependencyContainer?
    }

    private let entries = Mutex<[Entry]>([])

    func add(_ container: DependencyContainer) { entries.withLock { $0.append(Entry(container: container)) } }

    var begun: Int { entries.withLock(\.count) }
    var live: Int { entries.withLock { $0.count { $0.container != nil } } }
}

/// Events in their order.
final class Journal: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func note(_ line: String) { lines.withLock { $0.append(line) } }

    /// Returns when the event has happened so many times.
    func wait(for line: String, times: Int = 1) async throws {
        try await eventually { all.count { $0 == line } >= times }
    }
}

/// Waits for a condition that other tasks bring about. The time limit only matters if a test fails.
func eventually(_ condition: () async throws -> Bool) async throws {
    let limit = ContinuousClock.now + .seconds(120)
    while try await !condition() {
        try #require(ContinuousClock.now < limit, "waited in vain")
        try await Task.sleep(for: .milliseconds(2))
    }
}
