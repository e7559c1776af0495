/// A line of an order, at the price at which it was ordered.
package struct OrderLine: Codable, Sendable, Equatable {
    package let product: String
    package let quantity: Int
    /// For all pieces, in cents.
    package let amount: Int
}

/// An order of a session, in whatever state.
public struct Order: Codable, Sendable, Equatable {
    package enum State: String, Codable, Sendable {
        /// Stored, and whether it is paid is not known yet.
        case pending
        case paid
        case declined
    }

    package let id: String
    package let session: String
    package var state: State
    /// In cents.
    package let total: Int
    /// What it is paid with: a token of the payment provider, never the number of a card.
    package let card: String
    /// What the provider calls the payment.
    package var charge: String?
    /// Seconds since 1970.
    package let created: Double
    package let lines: [OrderLine]
}

extension Order {
    /// The part of an order that customers see.
    public struct View: Codable, Sendable, Equatable {
        package let id: String
        package let state: State
        package let total: Int
        package let created: Double
        package let lines: [OrderLine]
    }

    package var view: View { View(id: id, state: state, total: total, created: created, lines: lines) }
}
