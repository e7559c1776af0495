import Hopoate
import Synchronization
import Testing

/// The request scopes that have begun.
final class Scopes: Sendable {
    private struct Entry {
        weak var container: DependencyContainer?
    }

    private let entries = Mutex<[Entry]>([])

    func add(_ container: DependencyContainer) { entries.withLock { $0.append(Entry(container: container)) } }

    var begun: Int { entries.withLock(\.count) }
    var live: Int { entries.withLock { $0.count { $0.container != nil } } }
}

/// Events in their order.
final class Journal: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func note(_ line: String) { lines.withLock { $0.append(line) } }

    /// Returns when the event has happened so many times.
    func wait(for line: String, times: Int = 1) async throws {
        try await eventually("'\(line)' is not in \(all)") { all.count { $0 == line } >= times }
    }
}

/// Waits for a condition that other tasks bring about. The time limit only matters if a test fails.
func eventually(
    _ complaint: @autoclosure () -> String = "waited in vain", _ condition: () async throws -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let limit = ContinuousClock.now + .seconds(120)
    while try await !condition() {
        try #require(ContinuousClock.now < limit, "\(complaint())", sourceLocation: sourceLocation)
        try await Task.sleep(for: .milliseconds(2))
    }
}
