import Testing

@testable import Checkout

@Suite struct ReportTests {
    @Test func amountsHaveTheDigitsOfTheirCurrency() {
        #expect(decimal(0, digits: 2) == "0.00")
        #expect(decimal(5, digits: 2) == "0.05")
        #expect(decimal(123_456_789, digits: 2) == "1,234,567.89")
        #expect(decimal(1_234, digits: 0) == "1,234")
    }

    @Test func numbersAreGrouped() {
        #expect(
            [0, 12, 123, 1_234, 123_456, 1_234_567, -1_234].map { grouped($0) }
                == ["0", "12", "123", "1,234", "123,456", "1,234,567", "-1,234"])
        #expect(grouped(Int64.min) == "-9,223,372,036,854,775,808")
    }

    @Test func columnsAreAligned() {
        #expect(section("T", [.left, .right], [["a", "1"], ["long", "23"]]) == "T\n  a      1\n  long  23\n")
    }

    @Test func theWorstReportHasFewerThanSixtyLines() throws {
        var summary = Summary()
        let kinds: [Rejection] = [
            .notUTF8, .notJSON, .missingField("x"), .wrongType("x"), .unusableNumber("x"), .emptyOrder,
            .unknownCurrency("x"), .unknownCountry("x"), .unknownSKU("x"), .quantityNotPositive(0), .amountTooLarge,
            .paymentDeclined, .duplicateOrder(firstLine: 1),
        ]
        for (number, rejection) in (kinds + kinds).enumerated() { summary.add(.rejected(rejection), line: number + 1) }
        for number in 1...20 { summary.add(.short(Shortfall(sku: "\(number)", wanted: .max)), line: 100 + number) }
        let payment = Report.Payment(CardGateway())
        let report = Report(
            input: "worst", summary: summary, audit: AuditDigest(), stock: [:], payment: payment,
            dryRun: Report.DryRun(withheld: 1, restored: payment),
            load: Report.Load(workers: 1, passes: 2, passesAgree: false, resolves: 0, elapsed: .zero))
        let lines = report.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count < 60)
        #expect(lines.allSatisfy { $0.count <= 100 && $0.last != " " })
        #expect(Set(kinds.map(\.reason)).count == kinds.count)
    }
}
