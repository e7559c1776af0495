import Hopoate
import Testing

@testable import HopoateTestingHelpers

private final class Database: Sendable {}
private final class Cache: Sendable {}
private final class Orders: Sendable {
    let database: Database
    init(database: Database) { self.database = database }
}
private final class Server: Sendable {}
private final class Number: Sendable {}

/// Counts what is open. It is written by factories and hooks of starts that run one after the other.
private actor Ledger {
    private(set) var opened = 0
    private(set) var closed = 0
    func open() { opened += 1 }
    func close() { closed += 1 }
}

@Sendable private func register(in container: DependencyContainer) {
    let ledger = Ledger()
    container.register(Number.self, lifetime: .eager) { _ in
        Number()
    } onDispose: { _ in
    }
    container.register(Database.self) { _ async in
        await ledger.open()
        return Database()
    } onAsyncDispose: { _ in
        await ledger.close()
    }
    container.register(Cache.self) { container async throws in
        _ = try await container.asyncResolve(Database.self)
        return Cache()
    } onDispose: { _ in
    }
    container.register(Orders.self, using: Orders.init, onDispose: { _ in })
    container.register(Server.self) { container in
        _ = try container.require(Cache.self)
        _ = try container.require(Orders.self)
        return Server()
    } onDispose: { _ in
    }
    container.register(Int.self, lifetime: .scoped) { _ in 7 }
}

@Suite struct EveryStartTests {
    @Test(.everyStart(of: register)) func startOfAProgramWithoutMistakesFailsCleanly() {
        #expect(DependencyContainer.shared.canResolve(Server.self))
    }

    @Test(.everyStart(of: register, start: { try await $0.warmUp() }, seed: 7, runs: 3)) func startMayBeGiven() {}

    // MARK: - Mistakes

    private func mistakes(
        of build: @escaping @Sendable (DependencyContainer) async throws -> Void,
        start: (@Sendable (DependencyContainer) async throws -> Void)? = nil,
        stop: @escaping @Sendable (DependencyContainer) async throws -> Void = { try await $0.shutdown() },
        seed: UInt64 = 7, runs: Int = 200, patience: Double = 600
    ) async -> [String] {
        await StartFaults(build: build, start: start, stop: stop, seed: seed, runs: runs, patience: patience).mistakes()
    }

    @Test func startThatIgnoresAFailureIsFound() async {
        let found = await mistakes(of: register, start: { try? await $0.warmUp() })
        #expect(
            found.contains { $0.contains("Database', registered at") && $0.contains("fails: the start succeeded.") })
        #expect(found.contains { $0.contains("hangs and is cancelled: the start succeeded without it.") })
        #expect(found.allSatisfy { $0.hasSuffix("Repeat it with `seed: 7`.") })
    }

    @Test func startThatThrowsAnotherErrorIsFound() async {
        struct Failed: Error {}
        let found = await mistakes(of: register, start: { do { try await $0.warmUp() } catch { throw Failed() } })
        #expect(found.contains { $0.contains("fails: the start threw another error: Failed()") })
        #expect(found.contains { $0.contains("hangs and is cancelled: the start threw no cancellation: Failed()") })
    }

    @Test func stopThatIsLeftOutIsFound() async {
        let found = await mistakes(of: register, stop: { _ in }, patience: 10)
        #expect(
            found.contains {
                $0.contains("Database', registered at") && $0.contains("was opened once and closed 0 times")
            })
    }

    @Test func factoryThatTrapsInsteadOfThrowingIsFound() async {
        let error = await #expect(throws: DependencyError.self) {
            try await withIsolatedDependencies {
                _ = await mistakes(
                    of: { container in
                        container.register(Cache.self) { _ in Cache() }
                        container.register(Server.self) { container in
                            _ = container.resolve(Cache.self)
                            return Server()
                        }
                    }, start: { container in _ = try container.require(Server.self) })
            }
        }
        #expect(error?.description.contains("the error that the test has injected") == true)
    }

    @Test func serviceThatIsClosedBeforeItsUserIsFound() async {
        let found = await mistakes(
            of: register,
            stop: { container in
                container.register(Database.self, replacing: true) { _ in Database() }
                try await container.shutdown()
            })
        #expect(
            found.contains {
                $0.contains("Database', registered at")
                    && $0.contains("was closed before 'HopoateTestingHelpersTests.Orders'")
            })
    }

    @Test func startWithoutServicesIsFound() async {
        let found = await mistakes(of: { _ in })
        #expect(found.count == 1)
        #expect(found.first?.contains("The start creates no service") == true)
    }

    @Test func errorsOfTheClosuresAreFound() async {
        struct Failed: Error {}
        let ofStop = await mistakes(
            of: register,
            stop: {
                try await $0.shutdown(); throw Failed()
            })
        #expect(ofStop.first?.contains("the stop threw: Failed()") == true)
        let ofStart = await mistakes(of: register, start: { _ in throw Failed() })
        #expect(ofStart.first?.contains("The start without a fault: it threw: Failed()") == true)
    }

    @Test(arguments: 0..<40 as Range<UInt64>) func noSeedFindsAMistakeInAProgramWithoutMistakes(seed: UInt64) async {
        #expect(await mistakes(of: register, seed: seed) == [])
    }

    @Test func equalSeedsLeaveOutTheSameStarts() async {
        @Sendable func run(_ seed: UInt64) async -> [String] {
            await mistakes(of: register, start: { try? await $0.warmUp() }, seed: seed, runs: 4)
        }
        let first = await run(1)
        #expect(await run(1) == first)
        var others: Set<[String]> = []
        for seed in 2..<8 as Range<UInt64> {
            others.insert(await run(seed).map { String($0.prefix { $0 != "`" }) })
        }
        #expect(others.count > 1)
    }
}
