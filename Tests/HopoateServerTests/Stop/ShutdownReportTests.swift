import Hopoate
import HopoateServer
import Testing

/// The report of a shutdown with limits.
@Suite struct ShutdownReportTests {
    private struct Refused: Error {}
    private final class Database: Sendable {}
    private struct Cache: Sendable {
        let database: Database
    }
    private struct Mailer: Sendable {
        let database: Database
    }

    private let container = DependencyContainer()
    private let began = AsyncSignal()
    private let mayEnd = AsyncSignal()

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    private func shutDown(limit: Duration? = nil, by time: TestTime) -> Task<DependencyShutdownReport, Never> {
        Task { [container] in
            do throws(DependencyShutdownError) {
                return try await container.shutdown(limit: limit, hookLimit: nil, by: time)
            } catch {
                return error.report
            }
        }
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aReportListsInstancesInTheOrderOfDisposal() async throws {
        container.register(Database.self, using: Database.init, onAsyncDispose: { _ in })
        container.register(Cache.self, named: "hot", using: Cache.init, onAsyncDispose: { _ in })
        container.register(Mailer.self, using: Mailer.init, onDispose: { _ in })
        container.register(Int.self) { _ in 7 }
        try await container.warmUp()

        let report = try await container.shutdown(limit: .seconds(600))
        #expect(report.entries.map { "\($0.level) \($0.service)" } == ["1 Mailer", "1 Cache", "2 Database"])
        #expect(report.entries.map(\.name) == [nil, "hot", nil])
        #expect(report.entries.allSatisfy { $0.outcome == .finished })
        let place = try #require(report.entries[1].place)
        #expect(place.hasPrefix("HopoateServerTests/ShutdownReportTests.swift:"))
        // Nothing is disposed of twice.
        #expect(try await container.shutdown(limit: .seconds(600)).entries.isEmpty)
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aReportHasTheTimesOfSynchronousAndAsynchronousHooks() async throws {
        let time = TestTime()
        container.register(
            Int.self, factory: { _ in 7 }, onDispose: { _ in time.advance(by: .milliseconds(3)) },
            onAsyncDispose: { [began, mayEnd] _ in
                began.raise()
                await mayEnd.wait()
            })
        _ = container.resolve(Int.self)
        let shutdown = shutDown(by: time)
        await began.wait()
        time.advance(by: .milliseconds(250))
        mayEnd.raise()
        let report = await shutdown.value
        #expect(report.duration == .milliseconds(253) && report.entries.map(\.duration) == [.milliseconds(253)])
        let place = try #require(report.entries.first?.place)
        #expect(
            report.description == """
                Disposed of 1 instance in 0.253 seconds:
                  1. 'Swift.Int', registered at \(place): 0.253 seconds
                """)
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func anErrorHasTheReportOfAllInstances() async throws {
        let time = TestTime()
        container.register(
            Database.self, using: Database.init, onDispose: { _ in throw Refused() }, onAsyncDispose: { _ in })
        container.register(
            Cache.self, using: Cache.init,
            onAsyncDispose: { [began, mayEnd] _ in
                began.raise()
                await mayEnd.wait()
            })
        container.register(Mailer.self, using: Mailer.init, onAsyncDispose: { _ in throw Refused() })
        try await container.warmUp()
        let shutdown = shutDown(limit: .seconds(5), by: time)
        await began.wait()
        time.advance(by: .seconds(5))
        let report = await shutdown.value
        mayEnd.raise()
        #expect(report.entries.map { "\($0.service)" } == ["Mailer", "Cache", "Database"])
        // The asynchronous hook of the database was not started either, but its first problem stays visible.
        #expect(report.entries.map(\.outcome) == [.failed, .cancelled, .failed])
        #expect(report.description.contains(": 5.0 seconds, cancelled\n"))
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func hooksThatWereNotStartedAreReported() async throws {
        container.register(Int.self, factory: { _ in 7 }, onAsyncDispose: { _ in })
        _ = container.resolve(Int.self)
        let report = await shutDown(limit: .zero, by: TestTime()).value
        #expect(report.entries.map(\.outcome) == [.notStarted] && report.entries[0].duration == .zero)
        #expect(report.description.hasSuffix(": 0.0 seconds, not started"))
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aContainerWithoutHooksHasAnEmptyReport() async throws {
        container.register(7, for: Int.self)
        let report = try await container.shutdown(limit: nil)
        #expect(report.entries.isEmpty && report.duration == .zero)
        #expect(report.description == "Disposed of 0 instances in 0.0 seconds.")
    }
}
