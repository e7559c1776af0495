package import Logging

/// Takes the money for an order that is stored already, and notes what came of it.
///
/// Why nothing is charged and lost, and nothing stored twice:
///
/// 1. The order is stored as pending before the provider hears of it (`OrderStore.reserve`). Where that fails,
///    nothing has been charged.
/// 2. The key of the payment is the identifier of the order, so the provider charges an order at most once, however
///    often it is asked.
/// 3. The order is noted as paid after the provider has said so (`OrderStore.confirm`). Where that fails, or the
///    provider's answer is lost, or the process ends, the order stays pending, with all that is needed to ask again.
/// 4. Whoever checks out again gets the pending order (1) and asks again (2); and so does the service when it starts.
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
    /// - Returns: The order, paid.
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

    /// Settles what an earlier run has left pending, until it is cancelled. What still cannot be settled stays as it is.
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
