import Foundation
import Hopoate
import HopoateTestingHelpers
import Testing

@testable import Checkout

@Suite(.isolatedDependencies) struct DryRunTests {
    init() {
        Services.register(in: .shared)
    }

    @Test func shadowsThePaymentServiceUntilItEnds() {
        let real = resolve((any PaymentService).self)
        let dryRun = DryRun(in: .shared)
        #expect(resolve((any PaymentService).self) === dryRun.payment)
        dryRun.end(in: .shared)
        #expect(resolve((any PaymentService).self) === real)
    }

    @Test func chargesNothingAndDecidesTheSame() async throws {
        let lines = InputLines(
            Data([line(), line(id: "B", sku: "TEA-05", quantity: 600)].joined(separator: "\n").utf8))
        let dry = await CheckoutRun(try Options(["--dry-run"], cores: 2)).report(on: lines, name: "-")
        #expect(dry.payment.charged == 0)
        #expect(dry.dryRun?.withheld == 1)
        #expect(dry.dryRun?.restored.name == "card gateway")
        #expect(dry.text.contains("card gateway, charged 0"))

        Services.registerDay(in: .shared)
        let real = await CheckoutRun(try Options([], cores: 2)).report(on: lines, name: "-")
        #expect(real.payment.charged == 1)
        #expect(real.dryRun == nil)
        #expect(real.summary == dry.summary)
        #expect(real.audit == dry.audit)
    }
}
