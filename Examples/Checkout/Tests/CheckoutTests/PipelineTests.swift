import Foundation
import Hopoate
import HopoateTestingHelpers
import Testing

@testable import Checkout

@Suite(.isolatedDependencies) struct PipelineTests {
    init() {
        Services.register(in: .shared)
    }

    @Test func anOrderIsPricedTaxedAndCharged() async {
        // 2 x 4.89 = 9.78, and 7 % of that are 0.6846.
        let summary = await Pipeline.run(line(quantity: 2))
        #expect(summary.totals == [.eur: Summary.Total(orders: 1, net: 978, tax: 68)])
        #expect(resolve((any PaymentService).self).charged == 1)
        #expect(resolve((any Inventory).self).stock(of: "TEA-01") == Catalogue.stock["TEA-01"]! - 2)
    }

    @Test(arguments: [
        (line(sku: "TEA-99"), Rejection.unknownSKU("TEA-99")),
        (line(country: "XX"), .unknownCountry("XX")),
        (line(quantity: .max), .amountTooLarge),
        (line(sku: "TEA-05", quantity: 600), .paymentDeclined),
        (line(currency: "CHF"), .unknownCurrency("CHF")),
        ("{", .notJSON),
    ])
    func aRejectedLineLeavesNoTrace(text: String, rejection: Rejection) async {
        let summary = await Pipeline.run(text)
        #expect(summary.rejected == [Summary.RejectedLine(number: 1, rejection: rejection)])
        #expect(summary.accepted == 0)
        #expect(resolve((any PaymentService).self).charged == 0)
    }

    @Test func ordersWhoseTotalOverflowsAreRejected() async {
        let item = #"{"sku":"GIFT-01","quantity":4611686018427387904}"#
        let summary = await Pipeline.run(#"{"id":"A","currency":"EUR","country":"DE","items":[\#(item),\#(item)]}"#)
        #expect(summary.rejections == [.amountTooLarge])
    }

    @Test func aDuplicateIsRejectedWithTheLineOfTheFirst() async {
        let summary = await Pipeline.run([line(id: "B"), "", line(), line(id: "B")].joined(separator: "\n"))
        #expect(summary.accepted == 2)
        #expect(summary.blankLines == 1)
        #expect(summary.rejected == [.init(number: 4, rejection: .duplicateOrder(firstLine: 1))])
    }

    @Test func aRejectedOrderMayBeSentAgain() async {
        let summary = await Pipeline.run(line(sku: "TEA-99") + "\n" + line())
        #expect(summary.accepted == 1)
        #expect(summary.rejections == [.unknownSKU("TEA-99")])
    }

    @Test func aBadLineDoesNotStopTheOthers() async {
        var bytes = Data(line(id: "first").utf8)
        for bad in [[0xFF, 0xFE], [], Array("{\r".utf8), [0], Array("[[".utf8)] as [[UInt8]] {
            bytes += [0x0A] + bad
        }
        bytes += Data("\r\n\(line(id: "last"))".utf8)
        let summary = await Pipeline(workers: 2).run(InputLines(bytes)).summary
        #expect(summary.accepted == 2)
        #expect(summary.blankLines == 1)
        #expect(summary.rejections == [.notUTF8, .notJSON, .notJSON, .notJSON])
    }

    @Test func anOrderGetsAllOfItsItemsOrNone() async {
        let warehouse = MockContainer<any Inventory, Warehouse>(Warehouse(["TEA-01": 5, "TEA-02": 1]))
        let greedy = """
            {"id":"A","currency":"EUR","country":"DE","items":[{"sku":"TEA-01","quantity":4},\
            {"sku":"TEA-02","quantity":1},{"sku":"TEA-01","quantity":2}]}
            """
        let summary = await Pipeline.run(greedy)
        #expect(summary.short == ["TEA-01": Summary.Refused(orders: 1, wanted: 6)])
        #expect(warehouse.mock.stock(of: "TEA-01") == 5)
        #expect(warehouse.mock.stock(of: "TEA-02") == 1)
        #expect(resolve((any PaymentService).self).charged == 0)
    }

    @Test func stockGoesToTheEarliestLines() async {
        let warehouse = MockContainer<any Inventory, Warehouse>(Warehouse(["TEA-01": 250]))
        let text = (1...1_000).map { line(id: "A-\($0)") }.joined(separator: "\n")
        let summary = await Pipeline.run(text, workers: 8)
        #expect(summary.accepted == 250)
        #expect(warehouse.mock.stock(of: "TEA-01") == 0)
        let book = resolve((any OrderBook).self)
        #expect((1...1_000).allSatisfy { book.line(of: "A-\($0)") == ($0 <= 250 ? $0 : nil) })
    }
}
