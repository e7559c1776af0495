/// A client of another server, with a connection that has to be closed.
package protocol Client: Sendable {
    /// Throws if the server does not answer.
    func ping() async throws
    func close() async throws
}

/// For stubs, which have no connection.
extension Client {
    package func ping() async throws {}
    package func close() async throws {}
}
