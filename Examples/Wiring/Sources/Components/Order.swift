/// An order of a user.
package struct Order: Sendable, Equatable {
    package let user: String
    package let product: String
    package let price: Int
}
