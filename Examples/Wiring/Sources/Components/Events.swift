/// Reports each event of the components, such as `open database`.
///
/// A test records the events, delays them, or makes them fail by throwing.
package struct Events: Sendable {
    private let handler: @Sendable (String) async throws -> Void

    package init(_ handler: @escaping @Sendable (String) async throws -> Void = { _ in }) {
        self.handler = handler
    }

    package func callAsFunction(_ event: String) async throws { try await handler(event) }
}
