/// A service that takes money.
public protocol PaymentProvider: Sendable {
    /// Charges a payment once per key: each later call with the same key returns the same answer.
    ///
    /// - Throws: `PaymentUnknown` if it is not known whether the money was taken.
    func charge(_ payment: Payment) async throws(PaymentUnknown) -> PaymentAnswer
}

/// An amount, and the card that it is charged to.
public struct Payment: Codable, Sendable, Equatable {
    /// Tells this payment from all others.
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
    /// The money was taken; the charge has this identifier.
    case accepted(charge: String)
    /// No money was taken.
    case declined(reason: String)
}

/// The provider gave no reliable answer: the money may have been taken, or not.
public struct PaymentUnknown: Error, Sendable {
    package let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }
}
