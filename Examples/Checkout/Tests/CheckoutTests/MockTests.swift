import Hopoate
import HopoateTestingHelpers
import Synchronization
import Testing

@testable import Checkout

/// Tests of a program with a container: with the real services, and a mock that shadows one of them.
@Suite(.isolatedDependencies) struct MockTests {
    /// Declines every payment and records its calls.
    private final class Miser: PaymentService {
        private let amounts = Mutex<[Money]>([])

        var name: String { "miser" }
        var charged: Int { 0 }
        var asked: [Money] { amounts.withLock { $0 } }

        func authorize(_ amount: Money) throws(Rejection) {
            amounts.withLock { $0.append(amount) }
            throw .paymentDeclined
        }

        func charge(_ amount: Money, for order: String) {
            Issue.record("charged what was declined")
        }
    }

    /// Sells every article for one euro.
    private struct EuroShop: PriceList {
        func article(_ sku: String) -> Article? { Article(sku: sku, category: .general, listPrice: Money(100, .eur)) }
    }

    /// Keeps every entry.
    private actor Recorder: AuditLog {
        private(set) var entries: [String] = []
        var digest: AuditDigest { AuditDigest() }

        func record(_ entries: [String]) { self.entries += entries }
    }

    init() {
        Services.register(in: .shared)
    }

    @Test func declinedOrdersAreNeitherChargedNorTakenFromTheStock() async {
        let payment = MockContainer<any PaymentService, Miser>(Miser())
        let summary = await Pipeline.run(line())
        #expect(summary.rejections == [.paymentDeclined])
        #expect(payment.mock.asked == [Money(523, .eur)])
        #expect(resolve((any Inventory).self).stock(of: "TEA-01") == Catalogue.stock["TEA-01"])
    }

    @Test func theMockIsRemovedWithItsContainer() async {
        do {
            let payment = MockContainer<any PaymentService, Miser>(Miser())
            #expect(resolve((any PaymentService).self) === payment.mock)
        }
        #expect(await Pipeline.run(line()).accepted == 1)
    }

    @Test func aStructureCanBeMocked() async {
        let prices = MockContainer<any PriceList, EuroShop>(EuroShop())
        let warehouse = MockContainer<any Inventory, Warehouse>(Warehouse(["GOLD": 1]))
        let summary = await Pipeline.run(line(sku: "GOLD"))
        #expect(summary.totals[.eur] == Summary.Total(orders: 1, net: 100, tax: 19))
        withExtendedLifetime((prices, warehouse)) {}
    }

    @Test func theAuditLogHasEveryLineAndEveryReceiptIsNew() async {
        let audit = MockContainer<any AuditLog, Recorder>(Recorder())
        _ = await Pipeline.run([line(id: "A"), line(id: "B", quantity: 2), "x"].joined(separator: "\n"), workers: 1)
        #expect(
            await audit.mock.entries == [
                "1 A EUR\n1 TEA-01 489 34\n489 34 523",
                "2 B EUR\n2 TEA-01 978 68\n978 68 1046",
                "3 rejected: not a JSON object",
            ])
    }
}
