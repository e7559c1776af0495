import Foundation

/// Where a number lies between two pixels.
struct Axis {
    enum Kind { case linear, logarithmic(base: Double) }

    let title: String
    /// Numbers that get a line and a label.
    let ticks: [Double]
    private let kind: Kind
    private let pixels: (from: Double, to: Double)

    /// From zero to what is at least the greatest number, in steps of 1, 2 or 5 times a power of ten.
    static func linear(_ title: String, greatest: Double, from: Double, to: Double) -> Axis {
        let rough = max(greatest, .leastNormalMagnitude) / 5
        let power = pow(10, log10(rough).rounded(.down))
        let step = ([1, 2, 5, 10].first { $0 * power >= rough * 0.999 } ?? 10) * power
        let count = Int((greatest / step).rounded(.up))
        return Axis(
            title: title, ticks: (0...max(count, 1)).map { Double($0) * step }, kind: .linear, pixels: (from, to))
    }

    /// The powers of a base that take in all numbers.
    static func powers(of base: Double, _ title: String, _ range: ClosedRange<Double>, from: Double, to: Double) -> Axis
    {
        func exponent(_ number: Double) -> Double { (log(number) / log(base) * 1e9).rounded() / 1e9 }
        let first = Int(exponent(range.lowerBound).rounded(.down))
        let last = max(first + 1, Int(exponent(range.upperBound).rounded(.up)))
        return Axis(
            title: title, ticks: (first...last).map { pow(base, Double($0)) }, kind: .logarithmic(base: base),
            pixels: (from, to))
    }

    /// The pixel of a number; of what lies outside, the nearer end.
    func pixel(_ number: Double) -> Double {
        let low = scaled(ticks[0])
        let high = scaled(ticks[ticks.count - 1])
        let part = min(max((scaled(number) - low) / (high - low), 0), 1)
        return pixels.from + part * (pixels.to - pixels.from)
    }

    private func scaled(_ number: Double) -> Double {
        switch kind {
        case .linear: number
        case .logarithmic: log(max(number, .leastNormalMagnitude))
        }
    }
}
