/// The results of lines: of one worker, or of all workers after merging.
struct Summary: Equatable, Sendable {
    /// The sum of orders in one currency, in minor units. 128 bits hold any number of 64-bit amounts.
    struct Total: Equatable, Sendable {
        var orders = 0
        var net: Int128 = 0
        var tax: Int128 = 0
        var gross: Int128 { net + tax }
    }

    /// A line that is not a valid order.
    struct RejectedLine: Equatable, Sendable {
        let number: Int
        let rejection: Rejection
    }

    /// Orders that were refused because an article was out of stock.
    struct Refused: Equatable, Sendable {
        var orders = 0
        var wanted: Int128 = 0
    }

    var blankLines = 0
    private(set) var totals: [Currency: Total] = [:]
    /// Sorted by number after merging.
    private(set) var rejected: [RejectedLine] = []
    private(set) var short: [String: Refused] = [:]

    var accepted: Int { totals.values.reduce(0) { $0 + $1.orders } }
    var refused: Int { short.values.reduce(0) { $0 + $1.orders } }
    var read: Int { accepted + rejected.count + refused }

    mutating func add(_ decision: Decision, line: Int) {
        switch decision {
        case .rejected(let rejection):
            rejected.append(RejectedLine(number: line, rejection: rejection))
        case .short(let shortfall):
            short[shortfall.sku, default: Refused()].orders += 1
            short[shortfall.sku, default: Refused()].wanted += Int128(shortfall.wanted)
        case .accepted(let quote):
            totals[quote.order.currency, default: Total()].orders += 1
            totals[quote.order.currency, default: Total()].net += Int128(quote.net.minorUnits)
            totals[quote.order.currency, default: Total()].tax += Int128(quote.tax.minorUnits)
        }
    }

    /// Merges the summaries of several workers. The result does not depend on the distribution of the lines.
    static func merge(_ parts: [Summary]) -> Summary {
        var whole = Summary()
        for part in parts {
            whole.blankLines += part.blankLines
            whole.totals.merge(part.totals) {
                Total(orders: $0.orders + $1.orders, net: $0.net + $1.net, tax: $0.tax + $1.tax)
            }
            whole.short.merge(part.short) {
                Refused(orders: $0.orders + $1.orders, wanted: $0.wanted + $1.wanted)
            }
            whole.rejected += part.rejected
        }
        whole.rejected.sort { $0.number < $1.number }
        return whole
    }
}
