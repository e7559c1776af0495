import Synchronization

/// Keeps the stock.
protocol Inventory: AnyObject, Sendable {
    /// Takes all items out of the stock, or none: the first one that there is not enough of is returned.
    func reserve(_ items: [Order.Item]) -> Shortfall?

    /// How many are left.
    func stock(of sku: String) -> Int64
}

/// An article that there was not enough of.
struct Shortfall: Hashable, Sendable {
    let sku: String
    /// How many the order asked for, in all its items together.
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
                // Stock is not negative and quantities are positive: the difference is in range.
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

    /// How many of an article an order asks for, which may name it twice; more than fit are as many as fit.
    private func total(of sku: String, in items: [Order.Item]) -> Int64 {
        items.reduce(0) { sum, item in
            if item.sku != sku { return sum }
            let (total, overflow) = sum.addingReportingOverflow(item.quantity)
            return overflow ? .max : total
        }
    }
}
