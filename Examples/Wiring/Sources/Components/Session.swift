/// The user of an HTTP request.
package struct Session: Sendable {
    package let user: String

    package init(user: String) {
        self.user = user
    }
}
