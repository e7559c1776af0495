import Foundation
import Hopoate
import HopoateTestingHelpers
import Testing

@testable import Checkout

/// The sample, compared with the independent results of `Sample/totals.py`.
@Suite(.isolatedDependencies) struct SampleTests {
    /// `Sample/expected.json`.
    private struct Expected: Decodable {
        struct Total: Decodable { var orders: Int, net: Int64, tax: Int64, gross: Int64 }
        struct Line: Decodable, Equatable { var line: Int, reason: String }
        struct Short: Decodable, Equatable { var orders: Int, wanted: Int64, left: Int64 }

        var read: Int
        var blankLines: Int
        var accepted: Int
        var totals: [String: Total]
        var rejected: [Line]
        var short: [String: Short]
        var digest: String
    }

    init() {
        Services.register(in: .shared)
        DependencyContainer.shared.register(StoppedTime(), for: (any TimeSource).self)
    }

    private func report(_ arguments: String...) async throws -> Report {
        await CheckoutRun(try Options(arguments, cores: 2)).report(on: try Sample.lines(), name: "sample")
    }

    @Test func theReportMatchesIndependentTotals() async throws {
        let expected = try JSONDecoder().decode(Expected.self, from: try Data(contentsOf: Sample.expected))
        let report = try await report()
        let summary = report.summary
        #expect(summary.read == expected.read)
        #expect(summary.blankLines == expected.blankLines)
        #expect(summary.accepted == expected.accepted)
        for currency in Currency.allCases {
            let total = try #require(summary.totals[currency])
            let wanted = try #require(expected.totals[currency.rawValue])
            #expect(total.orders == wanted.orders)
            #expect(total.net == Int128(wanted.net))
            #expect(total.tax == Int128(wanted.tax))
            #expect(total.gross == Int128(wanted.gross))
        }
        #expect(summary.rejected.map { .init(line: $0.number, reason: $0.rejection.reason) } == expected.rejected)
        #expect(Set(summary.short.keys) == Set(expected.short.keys))
        for (sku, short) in summary.short {
            let wanted = Expected.Short(
                orders: short.orders, wanted: Int64(short.wanted), left: report.stock[sku] ?? -1)
            #expect(wanted == expected.short[sku])
        }
        #expect(report.audit.entries == expected.read)
        #expect(String(report.audit.sum, radix: 16) == expected.digest.drop { $0 == "0" })
    }

    @Test func theOutcomeDoesNotDependOnTheNumberOfWorkers() async throws {
        let one = try await report("--workers", "1").text
        for count in [2, 8] {
            Services.register(in: .shared)
            DependencyContainer.shared.register(StoppedTime(), for: (any TimeSource).self)
            let other = try await report("--workers", "\(count)").text
            #expect(other.replacing(/workers( +)\d/, with: { "workers\($0.1)1" }) == one)
        }
    }

    @Test func allPassesHaveTheSameOutcome() async throws {
        let once = try await report()
        Services.registerDay(in: .shared)
        let thrice = try await report("--repeat", "3")
        #expect(thrice.load.passesAgree)
        #expect(thrice.summary == once.summary)
        #expect(thrice.load.resolves == 3 * once.load.resolves)
        #expect(thrice.payment.charged == 4 * once.payment.charged)
    }

    @Test(.enabled(if: Command.python != nil), arguments: ["generate.py", "totals.py"])
    func theScriptsReproduceTheCommittedFiles(script: String) throws {
        let python = try #require(Command.python)
        let result = try python.run([Sample.folder.appending(path: script).path, "--check"])
        #expect(result.status == 0, "\(result.errors)")
    }
}

/// A clock that stands still, so that reports are equal.
private struct StoppedTime: TimeSource {
    var now: Duration { .zero }
}
