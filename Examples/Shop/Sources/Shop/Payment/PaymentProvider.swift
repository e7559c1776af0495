/// A payment provider.
public protocol PaymentProvider: Sendable {
    /// Charges a payment once per key. Each later call with the same key returns the same answer.
    ///
    /// - Throws: `PaymentUnknown` if it is not known whether the money was charged.
    func charge(_ payment: Payment) async throws(PaymentUnknown) -> PaymentAnswer
}

/// An amount and the card to charge.
public struct Payment: Codable, Sendable, Equatable {
    /// The idempotency key.
    package let key: String
    /// In cents.
    package let amount: Int
    package let card: String

    package init(key: String, amount: Int, card: String) {
        self.key = key
        self.amount = amount
        self.card = card
    }
}

/// The decision of a payment provider.
public enum PaymentAnswer: Sendable, Equatable {
    /// The money was charged under this identifier.
    case accepted(charge: String)
    /// No money was charged.
    case declined(reason: String)
}

/// The provider gave no reliable answer, so the money may or may not have been charged.
public struct PaymentUnknown: Error, Sendable {
    package let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }
}
