/// A product of the catalogue.
public struct Product: Codable, Sendable, Equatable {
    /// The article number.
    package let id: String
    package let name: String
    /// Per piece, in cents.
    package let price: Int
}
