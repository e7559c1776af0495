/// Somebody who takes money.
public protocol PaymentProvider: Sendable {
    /// Takes an amount, once for each key: who asks again with the same key gets the same answer.
    ///
    /// - Throws: Where it is not known whether the money was taken.
    func charge(_ payment: Payment) async throws(PaymentUnknown) -> PaymentAnswer
}

/// What is to be paid.
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

/// What the provider says.
public enum PaymentAnswer: Sendable, Equatable {
    case accepted(charge: String)
    case declined(reason: String)
}

/// The provider has not said anything that could be relied on: the money may have been taken, or not.
public struct PaymentUnknown: Error, Sendable {
    package let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }
}
