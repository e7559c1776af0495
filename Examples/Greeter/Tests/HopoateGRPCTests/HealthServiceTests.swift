import GRPCCore
import Hopoate
import HopoateGRPC
import HopoateServer
import Synchronization
import Testing

@Suite struct HealthServiceTests {
    private let app = TestApp()
    private let database = Switch()

    /// Creates a container with a checked service that exists.
    init() throws {
        app.container.register(Database.self) { _ in Database() }
        app.container.addHealthCheck(of: Database.self) { [database] _ in try database.check() }
        _ = try app.container.require(Database.self)
    }

    private var service: DependencyHealthService {
        DependencyHealthService(
            of: app.container, within: .seconds(60),
            services: ["shop.Orders": [Database.self], "shop.Carts": [], "shop.Typo": [Work.self]],
            interval: .milliseconds(1))
    }

    @Test func theEmptyNameIsTheReadinessOfTheServer() async throws {
        try await app.serve(service) { server async throws in
            #expect(try await server.check("") == .serving)
            database.isBroken = true
            #expect(try await server.check("") == .notServing)
            database.isBroken = false
            #expect(try await server.check("") == .serving)
        }
    }

    @Test func aListedNameDependsOnTheChecksOfItsTypes() async throws {
        database.isBroken = true
        try await app.serve(service) { server async throws in
            #expect(try await server.check("shop.Orders") == .notServing)
            #expect(try await server.check("shop.Carts") == .serving)
            database.isBroken = false
            #expect(try await server.check("shop.Orders") == .serving)
        }
    }

    @Test func aTypeWithoutACheckIsUnknown() async throws {
        try await app.serve(service) { server async throws in
            #expect(try await server.check("shop.Typo") == .unknown)
        }
    }

    @Test(arguments: ["shop", "shop.orders", "\0", "🛒", String(repeating: "shop.Orders", count: 1_000)])
    func anUnlistedNameIsNotFound(name: String) async throws {
        try await app.serve(service) { server in
            let error = await #expect(throws: RPCError.self) { try await server.check(name) }
            #expect(error?.code == .notFound)
        }
    }

    @Test func noServiceIsCreated() async throws {
        app.container.register([Int].self) { [journal = app.journal] _ in
            journal.note("created")
            return [7]
        }
        app.container.addHealthCheck(of: [Int].self) { [journal = app.journal] _ in journal.note("checked") }
        let health = DependencyHealthService(
            of: app.container, within: .seconds(60), services: ["numbers": [[Int].self]], interval: .milliseconds(1))
        try await app.serve(health) { server async throws in
            #expect(try await server.check("") == .serving)
            #expect(try await server.check("numbers") == .serving)
            let first = try await server.watch("numbers") { try await $0.first { _ in true } }
            #expect(first == .serving)
        }
        #expect(app.journal.all.isEmpty)
    }

    @Test func aServiceThatCannotBeCreatedIsNotServingUntilACreationSucceeds() async throws {
        app.container.register([Int].self) { [database] _ in
            try database.check()
            return [7]
        }
        app.container.addHealthCheck(of: [Int].self) { _ in }
        let health = DependencyHealthService(
            of: app.container, within: .seconds(60), services: ["numbers": [[Int].self]])
        try await app.serve(health) { server async throws in
            database.isBroken = true
            #expect(throws: DependencyError.self) { try app.container.require([Int].self) }
            database.isBroken = false
            for name in ["", "numbers"] { #expect(try await server.check(name) == .notServing) }
            _ = try app.container.require([Int].self)
            for name in ["", "numbers"] { #expect(try await server.check(name) == .serving) }
        }
    }

    @Test func aCheckThatHangsIsNotServing() async throws {
        app.container.addHealthCheck(of: Database.self) { _ in try await Task.sleep(for: .seconds(3_600)) }
        let health = DependencyHealthService(of: app.container, within: .milliseconds(10))
        try await app.serve(health) { server async throws in
            #expect(try await server.check("") == .notServing)
        }
    }

    @Test func aContainerThatIsShutDownIsNotServing() async throws {
        let health = service
        try await app.serve(health, behind: []) { server async throws in
            try await app.container.shutdown()
            for name in ["", "shop.Orders", "shop.Carts"] { #expect(try await server.check(name) == .notServing) }
        }
    }

    @Test func aWatchSendsTheStatusAndThenEachChangeOnce() async throws {
        try await app.serve(service) { server in
            let statuses = try await server.watch("shop.Orders") { [database] messages in
                var statuses: [TestServer.ServingStatus] = []
                for try await status in messages {
                    statuses.append(status)
                    if statuses.count == 4 { break }
                    // Several reports without a change come before the next one.
                    let count = database.checks
                    try await eventually { database.checks >= count + 5 }
                    database.isBroken.toggle()
                }
                return statuses
            }
            #expect(statuses == [.serving, .notServing, .serving, .notServing])
        }
    }

    @Test func timesThatNoClockCanAddDoNotOverflow() async throws {
        let service = DependencyHealthService(
            of: app.container, within: .seconds(Int64.max), interval: .seconds(Int64.max))
        try await app.serve(service) { server in
            let first = try await server.watch("") { messages -> TestServer.ServingStatus? in
                for try await status in messages {
                    // The server sleeps until the next report now.
                    try await Task.sleep(for: .milliseconds(20))
                    return status
                }
                return nil
            }
            #expect(first == .serving)
        }
    }

    @Test func aWatchOfAnUnlistedNameSendsThatAndGoesOn() async throws {
        try await app.serve(service) { server in
            let received = Journal()
            let watching = Task {
                try await server.watch("unlisted") { messages in
                    for try await status in messages { received.note("\(status)") }
                }
            }
            try await received.wait(for: "serviceUnknown")
            // Another watch reports several times meanwhile.
            let count = database.checks
            let other = Task { try await server.watch("") { for try await _ in $0 {} } }
            try await eventually { database.checks >= count + 5 }
            #expect(received.all == ["serviceUnknown"])
            #expect(app.scopes.live == 2)
            watching.cancel()
            other.cancel()
            _ = await (watching.result, other.result)
        }
    }

    @Test func aWatchEndsWhenTheClientCancels() async throws {
        try await app.serve(service) { server in
            let received = Journal()
            let watching = Task {
                try await server.watch("") { messages in
                    for try await status in messages { received.note("\(status)") }
                }
            }
            try await received.wait(for: "serving")
            #expect(app.scopes.live == 1)
            watching.cancel()
            _ = await watching.result
            try await eventually { app.scopes.live == 0 }
        }
    }

    @Test func aWatchEndsAtAGracefulShutdownOfTheServer() async throws {
        // The interval does not delay the end.
        let health = DependencyHealthService(of: app.container, within: .seconds(60), interval: .seconds(3_600))
        try await app.serve(health) { server in
            let received = Journal()
            let watching = Task {
                try await server.watch("") { messages in
                    for try await status in messages { received.note("\(status)") }
                }
            }
            try await received.wait(for: "serving")
            server.server.beginGracefulShutdown()
            let error = await #expect(throws: RPCError.self) { try await watching.value }
            #expect(error?.code == .unavailable)
            #expect(received.all == ["serving"])
            try await server.running.value
        }
    }
}

private final class Database: Sendable {}

/// Decides the outcome of a check, and counts the checks.
private final class Switch: Sendable {
    private let state = Mutex((isBroken: false, checks: 0))

    var isBroken: Bool {
        get { state.withLock(\.isBroken) }
        set { state.withLock { $0.isBroken = newValue } }
    }

    var checks: Int { state.withLock(\.checks) }

    func check() throws {
        let isBroken = state.withLock { state in
            state.checks += 1
            return state.isBroken
        }
        if isBroken { throw Refused() }
    }
}
