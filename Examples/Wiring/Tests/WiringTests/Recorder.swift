import Components
import Synchronization
import Testing

/// Records the events of the components, and blocks those or makes those fail that a test selects.
final class Recorder: Sendable {
    private struct State {
        var all: [String] = []
        var gates: [String: Gate] = [:]
        var failures: [String: Int] = [:]
    }

    private let state = Mutex(State())

    var events: Events { Events { try await self.happen($0) } }

    var all: [String] { state.withLock(\.all) }

    /// Blocks an event, also in a cancelled task, until the gate is opened.
    @discardableResult
    func block(_ event: String) -> Gate {
        let gate = Gate()
        state.withLock { $0.gates[event] = gate }
        return gate
    }

    /// Makes an event fail from now on, so many times.
    func fail(_ event: String, times: Int = .max) { state.withLock { $0.failures[event] = times } }

    /// Returns when an event has happened.
    func wait(for event: String) async throws { try await eventually { all.contains(event) } }

    func count(_ event: String) -> Int { all.count { $0 == event } }

    private func happen(_ event: String) async throws {
        let gate = state.withLock { state in
            state.all.append(event)
            return state.gates[event]
        }
        await gate?.pass()
        let fails = state.withLock { state in
            guard let times = state.failures[event], times > 0 else { return false }
            state.failures[event] = times - 1
            return true
        }
        if fails { throw Broken(event: event) }
    }
}

/// The error of an event that a test makes fail.
struct Broken: Error {
    let event: String
}

/// Blocks tasks until it is opened.
final class Gate: Sendable {
    private let state = Mutex((isOpen: false, waiting: [CheckedContinuation<Void, Never>]()))

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            return exchange(&state.waiting, with: [])
        }
        for continuation in waiting { continuation.resume() }
    }
}

/// Waits for a condition that other tasks bring about. The time limit only matters if a test fails.
func eventually(_ condition: () async throws -> Bool) async throws {
    let limit = ContinuousClock.now + .seconds(120)
    while try await !condition() {
        try #require(ContinuousClock.now < limit, "waited in vain")
        try await Task.sleep(for: .milliseconds(2))
    }
}
