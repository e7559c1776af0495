package import Logging

/// Charges a stored order and records the result.
///
/// No charged order is lost, and none is stored or charged twice:
///
/// 1. The order is stored as pending before the provider is called (`OrderStore.reserve`). If that fails, nothing has been
///    charged.
/// 2. The key of the payment is the identifier of the order, so the provider charges an order at most once, however often it is
///    called.
/// 3. The order is marked as paid after the provider has accepted it (`OrderStore.confirm`). If that fails, the answer is lost,
///    or the process ends, then the order stays pending with all data for another attempt.
/// 4. The next checkout gets the pending order (1) and calls the provider again (2). So does the next start of the service.
public struct Settlement: Sendable {
    private let orders: OrderStore
    private let provider: any PaymentProvider

    /// Creates a settlement for the orders of a store.
    public init(orders: OrderStore, provider: any PaymentProvider) {
        self.orders = orders
        self.provider = provider
    }

    /// Settles a pending order.
    ///
    /// - Returns: The paid order.
    package func settle(_ order: Order, logger: Logger) async throws -> Order {
        let answer: PaymentAnswer
        do {
            answer = try await provider.charge(Payment(key: order.id, amount: order.total, card: order.card))
        } catch {
            logger.warning("payment unknown", metadata: ["order": "\(order.id)", "reason": "\(error.reason)"])
            throw ShopError.paymentPending(order: order.id)
        }
        switch answer {
        case .accepted(let charge):
            let paid = try await orders.confirm(order, charge: charge)
            logger.info("order paid", metadata: ["order": "\(order.id)", "charge": "\(charge)"])
            return paid
        case .declined(let reason):
            try await orders.release(order)
            logger.notice("payment declined", metadata: ["order": "\(order.id)", "reason": "\(reason)"])
            throw ShopError.paymentDeclined(reason)
        }
    }

    /// Settles the pending orders of an earlier run until it is cancelled. Orders that cannot be settled stay pending.
    package func settlePending(logger: Logger) async {
        do {
            for order in try await orders.pending() {
                if Task.isCancelled { return }
                do { _ = try await settle(order, logger: logger) } catch {
                    logger.warning("order still pending", metadata: ["order": "\(order.id)", "error": "\(error)"])
                }
            }
        } catch {
            logger.error("pending orders cannot be read", metadata: ["error": "\(error)"])
        }
    }
}
