import Foundation
import Testing

@testable import Checkout

@Suite struct OrderReaderTests {
    private func rejection(of line: some Sequence<UInt8>) -> Rejection? {
        do {
            _ = try OrderReader().order(from: Data(line))
            return nil
        } catch {
            return error
        }
    }

    @Test func readsAnOrder() throws {
        let order = try OrderReader().order(from: Data(line(quantity: 3).utf8))
        let expected = Order(id: "A-1", currency: .eur, country: "DE", items: [.init(sku: "TEA-01", quantity: 3)])
        #expect(order == expected)
    }

    @Test(arguments: [
        "", "{", "}", "nonsense", "42", "null", "[]", #"["id"]"#, #"{"id":"\#u{1}"}"#, line() + line(), line() + "x",
        String(repeating: "[", count: 100_000), String(repeating: #"{"id":"#, count: 100_000), #"{"id":"\ud800"}"#,
        line(id: "\u{0}"), "{\u{0}}\u{0}",
    ])
    func whatIsNoObjectIsRejected(text: String) {
        #expect(rejection(of: text.utf8) == .notJSON)
    }

    @Test(
        arguments: [[0xFF], [0xC3, 0x28], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xF4, 0x90, 0x80, 0x80]] as [[UInt8]])
    func invalidUTF8IsRejected(bytes: [UInt8]) {
        #expect(rejection(of: Data(#"{"note":""#.utf8) + bytes + Data(#""}"#.utf8)) == .notUTF8)
    }

    @Test(arguments: [
        ("id", #"{"currency":"EUR","country":"DE","items":[]}"#),
        ("id", #"{"id":"","currency":"EUR","country":"DE","items":[{"sku":"TEA-01","quantity":1}]}"#),
        ("currency", #"{"id":"A","country":"DE","items":[]}"#),
        ("country", #"{"id":"A","currency":"EUR","items":[]}"#),
        ("country", #"{"id":"A","currency":"EUR","country":null,"items":[]}"#),
        ("items", #"{"id":"A","currency":"EUR","country":"DE"}"#),
        ("items[0].sku", #"{"id":"A","currency":"EUR","country":"DE","items":[{"quantity":1}]}"#),
        (
            "items[1].quantity",
            #"{"id":"A","currency":"EUR","country":"DE","items":[{"sku":"x","quantity":1},{"sku":"x"}]}"#
        ),
    ])
    func aMissingFieldIsNamed(field: String, text: String) {
        #expect(rejection(of: text.utf8) == .missingField(field))
    }

    @Test(arguments: [
        ("id", #"{"id":7,"currency":"EUR","country":"DE","items":[]}"#),
        ("items", #"{"id":"A","currency":"EUR","country":"DE","items":{}}"#),
        ("items[0]", #"{"id":"A","currency":"EUR","country":"DE","items":[1]}"#),
        ("items[0].quantity", #"{"id":"A","currency":"EUR","country":"DE","items":[{"sku":"x","quantity":"1"}]}"#),
    ])
    func aFieldOfAnotherTypeIsNamed(field: String, text: String) {
        #expect(rejection(of: text.utf8) == .wrongType(field))
    }

    @Test(arguments: ["2.5", "9223372036854775808", "-9223372036854775809", "1e400", "1e19", "0.5"])
    func aQuantityThatIsNoWholeNumberOf64BitsIsRejected(number: String) {
        let text = line(quantity: 777).replacing("777", with: number)
        #expect(rejection(of: text.utf8) == .unusableNumber("items[0].quantity"))
    }

    @Test(arguments: ["2", "2.0", "2e0", "20e-1"]) func wholeNumbersMayHaveAFractionOrAnExponent(number: String) throws
    {
        let text = line(quantity: 777).replacing("777", with: number)
        #expect(try OrderReader().order(from: Data(text.utf8)).items[0].quantity == 2)
    }

    @Test func anOrderWithoutItemsIsRejected() {
        #expect(rejection(of: #"{"id":"A","currency":"EUR","country":"DE","items":[]}"#.utf8) == .emptyOrder)
    }

    @Test(arguments: ["CHF", "eur", ""]) func anUnknownCurrencyIsRejected(code: String) {
        #expect(rejection(of: line(currency: code).utf8) == .unknownCurrency(code))
    }

    @Test(arguments: [0, -1, .min] as [Int64]) func aQuantityThatIsNotPositiveIsRejected(quantity: Int64) {
        #expect(rejection(of: line(quantity: quantity).utf8) == .quantityNotPositive(quantity))
    }

    @Test func reportsEscapeAndShortenInputText() {
        #expect(Rejection.unknownSKU("\u{1B}[31m\n").detail == #"'\u{1B}[31m\n'"#)
        #expect(Rejection.unknownSKU(String(repeating: "x", count: 100)).detail.count == 24 + 5)
    }
}
