/// A product of the catalogue.
public struct Product: Codable, Sendable, Equatable {
    /// The article number.
    package let id: String
    package let name: String
    /// For one, in cents.
    package let price: Int
}
