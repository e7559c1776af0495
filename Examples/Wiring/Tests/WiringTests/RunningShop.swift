import AsyncHTTPClient
import Components
import InMemoryLogging
import Logging
import NIOCore
import NIOHTTP1
import ServiceLifecycle

/// A service under test, which may not listen yet.
struct RunningShop: Sendable {
    let recorder: Recorder
    private let log: InMemoryLogHandler
    private let group: ServiceGroup
    private let running: Task<Void, any Error>
    private let client: HTTPClient
    private let port: Task<Int?, Never>

    /// Runs a service while the body runs, and stops it gracefully.
    ///
    /// - Returns: The error of the service; nil if it ended without one.
    @discardableResult
    static func run(
        _ variant: Variant, _ recorder: Recorder = Recorder(), settings: Settings = Settings(),
        _ body: (RunningShop) async throws -> Void
    ) async throws -> (any Error)? {
        let log = InMemoryLogHandler()
        let (ports, opened) = AsyncStream.makeStream(of: Int.self)
        let service = variant.makeService(
            settings: settings, events: recorder.events, logger: Logger(label: "shop") { _ in log },
            onRunning: { opened.yield($0) })
        let group = ServiceGroup(
            services: [service], logger: Logger(label: "group") { _ in SwiftLogNoOpLogHandler() })
        let running = Task {
            defer { opened.finish() }
            try await group.run()
        }
        let client = HTTPClient(eventLoopGroupProvider: .singleton)
        let shop = RunningShop(
            recorder: recorder, log: log, group: group, running: running, client: client,
            port: Task { await ports.first { _ in true } })
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(shop))
        } catch {
            result = .failure(error)
        }
        try await client.shutdown()
        let failure = await shop.stop()
        try result.get()
        return failure
    }

    /// Stops the service gracefully. Returns its error when it has ended.
    func stop() async -> (any Error)? {
        await beginStop()
        return await end()
    }

    func beginStop() async { await group.triggerGracefulShutdown() }

    func cancel() { running.cancel() }

    /// Waits for the end of the service. Returns its error.
    func end() async -> (any Error)? {
        do {
            try await running.value
            return nil
        } catch {
            return error
        }
    }

    /// Returns the port when the server listens; nil if the service ends before.
    func listening() async -> Int? { await port.value }

    func waitUntilListening() async throws {
        if await listening() == nil { throw NotListening() }
    }

    /// Sends an HTTP request and returns the head of the response.
    func open(_ path: String, method: HTTPMethod = .GET, user: String? = nil) async throws -> HTTPClientResponse {
        guard let port = await listening() else { throw NotListening() }
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
        request.method = method
        if let user { request.headers.add(name: "User", value: user) }
        return try await client.execute(request, timeout: .minutes(2))
    }

    /// Sends an HTTP request and returns the whole response.
    func send(_ path: String, method: HTTPMethod = .GET, user: String? = nil) async throws -> Answer {
        let response = try await open(path, method: method, user: user)
        let body = try await response.body.collect(upTo: 1_024 * 1_024)
        return Answer(status: Int(response.status.code), body: String(buffer: body))
    }

    /// Orders a product.
    func order(_ product: String, user: String) async throws -> Answer {
        try await send("/orders/\(product)", method: .POST, user: user)
    }

    /// The metadata of the errors in the log.
    var errors: [String] { log.entries.filter { $0.level >= .error }.map { "\($0.metadata)" } }
}

struct Answer: Equatable {
    let status: Int
    let body: String
}

struct NotListening: Error {}
