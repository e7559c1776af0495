import Foundation
import Hopoate
import HopoateServer
import Testing

/// The times, the critical path and the chart of a warm-up.
@Suite struct DependencyStartReportTests {
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    private typealias Creation = StartTimes.Creation

    private static let registration = DependencyContainer().register(Int.self) { _ in 7 }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    private func creation(
        _ number: Int, _ start: Int, _ end: Int, waits: [(Int, Int, Int)] = [], outer: Int? = nil, cause: Int? = nil
    ) -> Creation {
        Creation(
            singleton: number, registration: Self.registration, start: .seconds(start), end: .seconds(end),
            waits: waits.map { ($0.0, .seconds($0.1), .seconds($0.2)) }, outer: outer, cause: cause)
    }

    /// The critical path of creations whose numbers are their indices.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    private func path(_ creations: Creation...) -> [Int] {
        StartTimes(creations, total: .seconds(100)).report.criticalPath
    }

    // MARK: - The critical path

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func theCriticalPathFollowsTheLastWait() {
        let path = path(
            creation(0, 0, 8), creation(1, 0, 4), creation(2, 0, 13, waits: [(1, 0, 4), (0, 4, 8)]))
        #expect(path == [0, 2])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func theCriticalPathFollowsTheEndThatLetACreationStart() {
        let path = path(creation(0, 0, 8), creation(1, 0, 4), creation(2, 4, 5, cause: 1), creation(3, 8, 9, cause: 0))
        #expect(path == [0, 3])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func theCriticalPathLeavesACreationAtTheTimeAtWhichAnotherBeganInsideIt() {
        // 0 waits for 1, works, and then creates 2. It began when 3 had ended.
        let path = path(
            creation(3, 0, 1), creation(0, 1, 9, waits: [(1, 1, 4), (2, 6, 9)], cause: 3), creation(1, 1, 4, outer: 0),
            creation(2, 6, 9, outer: 0))
        // By their starts, the creations have the indices 0, 1, 2 and 3.
        #expect(path == [0, 2, 3, 1])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func theCriticalPathIgnoresWaitsThatCameLater() {
        // 3 waits for 1, which began inside 0. Later, 0 waits for 2.
        let path = path(
            creation(0, 0, 9, waits: [(1, 1, 4), (2, 6, 9)]), creation(3, 0, 20, waits: [(1, 0, 4)]),
            creation(1, 1, 4, outer: 0), creation(2, 6, 9, outer: 0))
        #expect(path == [0, 2, 1])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func theCriticalPathEndsIfAllTimesAreEqual() {
        let path = path(
            creation(0, 0, 0, waits: [(1, 0, 0)], outer: 2, cause: 1), creation(1, 0, 0, waits: [(0, 0, 0)], outer: 0),
            creation(2, 0, 0, waits: [(1, 0, 0), (0, 0, 0)], cause: 2))
        #expect(!path.isEmpty && Set(path).count == path.count)
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func timeInSeveralWaitsIsCountedOnce() {
        let report = StartTimes(
            [
                creation(0, 0, 5), creation(1, 0, 6),
                creation(2, 0, 10, waits: [(0, 1, 5), (1, 2, 6), (1, 2, 3)]),
            ], total: .seconds(10)
        ).report
        #expect(report.creations[2].duration == .seconds(10) && report.creations[2].ownDuration == .seconds(5))
    }

    // MARK: - A warm-up

    /// A service whose creation takes a time of a clock.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    private final class Slow<Mark>: Sendable {
        let clock: ManualClock

        init(_ clock: ManualClock, _ time: Duration) async throws {
            self.clock = clock
            try await clock.sleep(for: time)
        }
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func theReportShowsTheTimesOfAKnownGraph() async throws {
        typealias Database = Slow<Int>
        typealias Cache = Slow<String>
        typealias Orders = Slow<Double>
        let clock = ManualClock()
        let container = DependencyContainer()
        container.register(
            Orders.self,
            using: { (_: Database, _: Cache) async throws in try await Orders(clock, .milliseconds(500)) })
        container.register(Database.self) { _ in try await Database(clock, .milliseconds(800)) }
        container.register(Cache.self) { _ in try await Cache(clock, .milliseconds(400)) }
        let hasCache = AsyncSignal()
        container.register(
            Int.self,
            using: { (cache: Cache) async in
                hasCache.raise()
                return 7
            })
        let running = Task { try await container.warmUp(limit: nil, clock: clock) }
        #expect(await eventually { clock.sleepers == 2 })
        clock.advance(by: .milliseconds(400))
        // The end of the cache is recorded before time goes on.
        await hasCache.wait()
        clock.advance(by: .milliseconds(400))
        #expect(await eventually { clock.sleepers == 1 })
        clock.advance(by: .milliseconds(500))
        let report = try await running.value
        let types: [any Any.Type] = [Database.self, Cache.self, Int.self, Orders.self]
        #expect(report.total == .milliseconds(1_300))
        #expect(report.creations.map(\.service) == types.map { shown($0) })
        #expect(report.creations.map(\.start) == [0, 0, 400, 800].map { .milliseconds($0) })
        let slow = report.creations.filter { $0.service != "Swift.Int" }
        #expect(slow.map(\.duration) == [800, 400, 500].map { .milliseconds($0) })
        #expect(report.criticalPath == [0, 3])
        #expect(report.creations[0].place?.hasPrefix("HopoateServerTests/DependencyStartReportTests.swift:") == true)
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aServiceThatIsCreatedInsideAnotherIsAWait() async throws {
        let container = DependencyContainer()
        container.register(String.self) { container in "\(container.resolve(Int.self))" }
        container.register(Int.self) { _ in 7 }
        container.register(Double.self) { container async throws in
            Double(try await container.asyncResolve(Float.self))
        }
        container.register(Float.self) { _ async in 7 }
        let report = try await container.warmUp(limit: nil, width: 1)
        let creations = Dictionary(uniqueKeysWithValues: report.creations.enumerated().map { ($1.service, $0) })
        func waits(_ service: String) -> [Int?] {
            creations[service].map { report.creations[$0].waits.map(\.creation) } ?? []
        }
        #expect(report.creations.count == 4)
        #expect(waits("Swift.String") == [creations["Swift.Int"]])
        #expect(waits("Swift.Double") == [creations["Swift.Float"]])
        #expect(waits("Swift.Int").isEmpty && waits("Swift.Float").isEmpty)
    }

    // MARK: - Formats

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    private var example: DependencyStartReport {
        DependencyStartReport(
            creations: [
                .init(
                    service: "App.Database", place: "App/Main.swift:3", start: .zero, duration: .milliseconds(800),
                    ownDuration: .milliseconds(800)),
                .init(
                    service: "App.Cache", name: "users", start: .zero, duration: .microseconds(400),
                    ownDuration: .microseconds(400)),
                .init(
                    service: "App.Orders", start: .zero, duration: .milliseconds(1_600),
                    ownDuration: .milliseconds(800),
                    waits: [.init(creation: 0, start: .zero, duration: .milliseconds(800))]),
            ], total: .milliseconds(1_600), criticalPath: [0, 2])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func theChartHasABarForEachService() {
        let axis = 100 - 2 - 23 - 1 - 10
        func bar(_ light: Int, _ dark: Int) -> String {
            String(repeating: "░", count: light) + String(repeating: "█", count: dark)
                + String(repeating: " ", count: axis - light - dark)
        }
        let lines = [
            "3 services created in 1.600 s. Critical path: *",
            "* App.Database            \(bar(0, axis / 2))    800 ms",
            "  App.Cache named \"users\" \(bar(0, 1))    400 µs",
            "* App.Orders              \(bar(axis / 2, axis - axis / 2))   1.600 s",
        ]
        #expect(example.description == lines.joined(separator: "\n"))
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func theReportSurvivesJSON() throws {
        let data = try JSONEncoder().encode(example)
        #expect(try JSONDecoder().decode(DependencyStartReport.self, from: data) == example)
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func theChartOfNoServicesIsOneLine() async throws {
        let report = try await DependencyContainer().warmUp(limit: nil)
        #expect(report.creations.isEmpty && report.criticalPath.isEmpty && report.description == "No services created.")
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func theChartOfAThousandServicesShowsTheLongest() {
        let creations = (0..<1_000).map { number in
            DependencyStartReport.Creation(
                service: "App.S\(number)", start: .milliseconds(number), duration: .milliseconds(number),
                ownDuration: .milliseconds(number))
        }
        let report = DependencyStartReport(creations: creations, total: .milliseconds(2_000), criticalPath: [3, 5])
        let lines = report.description.split(separator: "\n")
        #expect(lines.count == 52 && lines.last == "  … and 950 more")
        #expect(lines[1].hasPrefix("* App.S3 ") && lines[2].hasPrefix("* App.S5 ") && lines[3].hasPrefix("  App.S952 "))
        #expect(lines.allSatisfy { $0.count <= 100 })
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test(arguments: [
        "App.A", String(repeating: "App.Long", count: 40), "line\nbreak\r\n", "\u{1B}[31mred\u{7}", "\u{202E}reversed",
        "データベース接続プール管理サービス本番環境用", "👩‍👩‍👧‍👦🇫🇷👍🏽", "e\u{301}\u{301}\u{301}", "", "\u{0}\t",
    ])
    func noNameOverflows(name: String) throws {
        let times: [Duration] = [.zero, .seconds(-5), .milliseconds(999), .seconds(Int64.max), .nanoseconds(1)]
        for start in times {
            let report = DependencyStartReport(
                creations: times.map {
                    .init(
                        service: "App.Service", name: name, start: start, duration: $0, ownDuration: $0,
                        waits: [.init(creation: 77, start: .seconds(-1), duration: .seconds(9))])
                }, total: start, criticalPath: [-1, 0, 99])
            let lines = report.description.split(separator: "\n", omittingEmptySubsequences: false)
            try #require(lines.count == times.count + 1)
            for line in lines {
                let wide = line.unicodeScalars.count {
                    $0.properties.isIdeographic || (0x3040...0x30FF).contains($0.value)
                }
                #expect(line.count + wide <= 100)
                let hasControls = line.unicodeScalars.contains {
                    $0.properties.generalCategory == .control || $0.value == 0x202E
                }
                #expect(!hasControls)
            }
        }
    }
}
