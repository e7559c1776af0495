import Synchronization

/// Tracks the stock.
protocol Inventory: AnyObject, Sendable {
    /// Takes all items out of the stock, or none of them. Returns the first item that there is not enough of.
    func reserve(_ items: [Order.Item]) -> Shortfall?

    /// Returns the remaining number of an article.
    func stock(of sku: String) -> Int64
}

/// An article with insufficient stock.
struct Shortfall: Hashable, Sendable {
    let sku: String
    /// The number in all items of the order together.
    let wanted: Int64
}

/// An inventory in memory.
final class Warehouse: Inventory {
    private let stock: Mutex<[String: Int64]>

    init(_ stock: [String: Int64]) {
        self.stock = Mutex(stock)
    }

    func reserve(_ items: [Order.Item]) -> Shortfall? {
        stock.withLock { stock in
            for (index, item) in items.enumerated() {
                // The stock is not negative and quantities are positive, so the difference does not overflow.
                let left = stock[item.sku, default: 0] - item.quantity
                if left < 0 {
                    for taken in items[..<index] { stock[taken.sku, default: 0] += taken.quantity }
                    return Shortfall(sku: item.sku, wanted: total(of: item.sku, in: items))
                }
                stock[item.sku] = left
            }
            return nil
        }
    }

    func stock(of sku: String) -> Int64 {
        stock.withLock { $0[sku, default: 0] }
    }

    /// The total of an article in an order, which may list it twice. Saturates on overflow.
    private func total(of sku: String, in items: [Order.Item]) -> Int64 {
        items.reduce(0) { sum, item in
            if item.sku != sku { return sum }
            let (total, overflow) = sum.addingReportingOverflow(item.quantity)
            return overflow ? .max : total
        }
    }
}
