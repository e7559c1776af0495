import Foundation
import Hopoate
import HopoateTestingHelpers
import Testing

@testable import Checkout

@Suite(.isolatedDependencies) struct DamageTests {
    /// A fixed sequence of pseudorandom numbers.
    private struct Dice: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>) func everyDamagedLineIsAcceptedOrRejected(seed: UInt64) async {
        Services.register(in: .shared)
        var dice = Dice(state: seed)
        let fragments = Array(#"{}[]",:\0123456789-.eE \#r\#t"#.utf8) + [0, 0xC3, 0xEF, 0xFF]
        var bytes = Data()
        let count = 500
        for number in 1...count {
            var text = Array(line(id: "A-\(number)", quantity: .random(in: .min ... .max, using: &dice)).utf8)
            for _ in 0..<Int.random(in: 0...3, using: &dice) {
                text[Int.random(in: 0..<text.count, using: &dice)] = fragments.randomElement(using: &dice)!
            }
            bytes += text + [0x0A]
        }
        let summary = await Pipeline(workers: 2).run(InputLines(bytes)).summary
        #expect(summary.read == count)
        #expect(summary.blankLines == 0)
    }
}
