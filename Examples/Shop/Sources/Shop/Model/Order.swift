/// A line of an order, at the price at the time of the order.
package struct OrderLine: Codable, Sendable, Equatable {
    package let product: String
    package let quantity: Int
    /// For all pieces, in cents.
    package let amount: Int
}

/// An order of a session, in any state.
public struct Order: Codable, Sendable, Equatable {
    package enum State: String, Codable, Sendable {
        /// Stored, and not known to be paid.
        case pending
        case paid
        case declined
    }

    package let id: String
    package let session: String
    package var state: State
    /// In cents.
    package let total: Int
    /// The means of payment: a token of the payment provider, never a card number.
    package let card: String
    /// The identifier of the payment at the provider.
    package var charge: String?
    /// Seconds since 1970.
    package let created: Double
    package let lines: [OrderLine]
}

extension Order {
    /// The part of an order that is shown to customers.
    public struct View: Codable, Sendable, Equatable {
        package let id: String
        package let state: State
        package let total: Int
        package let created: Double
        package let lines: [OrderLine]
    }

    package var view: View { View(id: id, state: state, total: total, created: created, lines: lines) }
}
