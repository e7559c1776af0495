import Testing

@testable import Checkout

@Suite struct MoneyTests {
    @Test(arguments: [(149, 1), (150, 2), (151, 2), (49, 0), (50, 1), (0, 0), (250, 3), (350, 4)] as [(Int64, Int64)])
    func roundsHalvesUp(amount: Int64, expected: Int64) throws {
        #expect(try Money(amount, .eur).scaled(by: .basisPoints(100), in: .eur) == Money(expected, .eur))
    }

    @Test func yenHaveNoMinorUnit() throws {
        let price = try DailyRates().convert(Money(489, .eur), to: .jpy)
        #expect(price == Money(794, .jpy))  // 793.89
        #expect(decimal(Int128(price.minorUnits), digits: Currency.jpy.minorDigits) == "794")
    }

    @Test func amountsThatOverflowThrow() {
        #expect(throws: Rejection.amountTooLarge) { try Money(.max, .eur).adding(Money(1, .eur)) }
        #expect(throws: Rejection.amountTooLarge) { try Money(1 << 40, .eur).times(1 << 40) }
        #expect(throws: Rejection.amountTooLarge) { try Money(.max, .eur).scaled(by: .basisPoints(20_000), in: .eur) }
    }

    @Test func theLargestAmountIsTaxedWithoutLoss() throws {
        #expect(try Money(.max, .eur).scaled(by: .basisPoints(10_000), in: .eur) == Money(.max, .eur))
    }

    @Test func everyCountryHasARateForEveryCategory() {
        for country in ["DE", "FR", "GB", "JP", "US"] {
            for category in [Article.Category.general, .food, .books] {
                #expect(NationalTaxRules().rate(for: category, in: country) != nil)
            }
        }
    }
}
