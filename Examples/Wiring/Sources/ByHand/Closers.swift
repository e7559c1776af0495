import Components

/// The open clients, in the order in which they were opened.
actor Closers {
    private var clients: [any Client] = []

    /// Opens a client, and keeps it to close it later.
    nonisolated func open<Opened: Client>(_ open: @Sendable () async throws -> Opened) async throws -> Opened {
        let client = try await open()
        await keep(client)
        return client
    }

    private func keep(_ client: any Client) { clients.append(client) }

    /// Closes all clients, latest first. One that throws or hangs does not keep the others from being closed.
    ///
    /// - Parameters:
    ///   - limit: The time for all clients together.
    ///   - closeLimit: The time for each client.
    func close(within limit: Duration, each closeLimit: Duration) async throws {
        let end = ContinuousClock.now + limit
        var problems: [String] = []
        while let client = clients.popLast() {
            let name = type(of: client)
            let time = min(closeLimit, ContinuousClock.now.duration(to: end))
            do {
                try await withTimeLimit(time) { try await client.close() }
            } catch is TimedOut {
                problems.append("\(name) did not close within \(time)")
            } catch {
                problems.append("\(name) did not close: \(error)")
            }
        }
        if !problems.isEmpty { throw StopError(problems: problems) }
    }
}

/// The clients that did not close, with their reasons.
struct StopError: Error, CustomStringConvertible {
    let problems: [String]

    var description: String { problems.joined(separator: "\n") }
}
