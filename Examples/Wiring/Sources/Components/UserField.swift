package import HTTPTypes

extension HTTPField.Name {
    /// The header that names the user of an HTTP request.
    package static var user: Self { Self("User")! }
}
