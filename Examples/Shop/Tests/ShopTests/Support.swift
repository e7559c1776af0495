import AsyncHTTPClient
import Configuration
import Foundation
import Hopoate
import HopoateServiceLifecycle
import Logging
import Testing

@testable import Shop

/// A running shop on a free port, with a database file and a fake payment provider.
struct OpenShop {
    let port: Int
    let client: HTTPClient
    let provider: FakeProvider
    let scopes: ScopeLedger
    let log: LogBook
    let container: DependencyContainer
    let group: DependencyServiceGroup
    let running: Task<Void, any Error>
    let end: Mark

    /// Returns a container as an HTTP request has it.
    func makeRequest() -> DependencyContainer {
        let request = container.makeChild()
        request.register(RequestInfo(id: "sample", session: nil, base: log.logger), for: RequestInfo.self)
        return request
    }

    /// Finishes requests in flight and closes the shop. Idempotent.
    func close() async throws {
        await group.triggerGracefulShutdown()
        try await waitForEnd()
    }

    /// Waits until the service has ended, within the limit of `eventually`.
    func waitForEnd() async throws {
        try await eventually { end.isSet }
        try await running.value
    }
}

/// Opens a shop in the container of the test and closes it. Checks that every request container has been released.
///
/// - Parameter files: Writes the files of settings that the shop follows, and returns the variables that name them.
func withShop(
    script: @escaping FakeProvider.Script = { _ in .answer }, settings change: (inout Settings) -> Void = { _ in },
    following files: ((_ settings: Settings) async throws -> [String: String])? = nil,
    extra: [any DependencyModule] = [], _ body: (OpenShop) async throws -> Void
) async throws {
    let container = DependencyContainer.shared
    let folder = FileManager.default.temporaryDirectory.appending(path: "shop-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let provider = try await FakeProvider.start(following: script)
    let log = LogBook()

    var settings = Settings()
    settings.address.port = 0
    settings.storage.file = folder.appending(path: "shop.sqlite").path
    settings.storage.timeout = 60
    settings.payment.address = .init(host: "127.0.0.1", port: provider.port)
    settings.payment.timeout = 60
    settings.requestTimeout = 3_600
    settings.shutdownTimeout = 3_600
    change(&settings)
    container.values.settings = settings
    container.values.logger = log.logger
    // A module that replaces a service leaves those unused that only this service needs.
    let rules: DependencyValidationRules = extra.isEmpty ? .strict : .strict.allowing(.unused)
    var sources: SettingsSources?
    if let variables = try await files?(settings) {
        sources = try await .open(.init(environmentVariables: variables), every: .milliseconds(5))
    }
    let followers = try await ShopService.prepare(in: container, following: sources, rules: rules) { extra }

    let scopes = ScopeLedger()
    let (ports, opened) = AsyncStream.makeStream(of: Int.self)
    let group = ShopService.group(
        of: container, with: followers, onRunning: { opened.yield($0) }, observer: scopes)
    let end = Mark()
    let running = Task {
        defer {
            end.set()
            opened.finish()
        }
        try await group.run()
    }
    let port = try #require(await ports.first { _ in true })
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: .manyConnections)
    let shop = OpenShop(
        port: port, client: client, provider: provider, scopes: scopes, log: log, container: container, group: group,
        running: running, end: end)
    do {
        try await body(shop)
    } catch {
        Issue.record(error)
    }
    try await client.shutdown()
    try await shop.close()
    await provider.stop()
    #expect(scopes.live == 0)
}

/// Waits for a condition that other tasks bring about. The time limit only matters if a test fails.
func eventually(_ condition: () async throws -> Bool) async throws {
    let limit = ContinuousClock.now + .seconds(120)
    while try await !condition() {
        try #require(ContinuousClock.now < limit, "waited in vain")
        try await Task.sleep(for: .milliseconds(2))
    }
}
