import Components
import Stubs
import Synchronization
import Testing

@testable import ByHand

@Suite struct ClosersTests {
    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        func note(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private struct Connection: Client {
        let name: String
        let log: Log
        var closing: @Sendable () async throws -> Void = {}

        func close() async throws {
            log.note(name)
            try await closing()
        }
    }

    private let closers = Closers()
    private let log = Log()

    @Test func clientsCloseInReverseOrderOnce() async throws {
        for name in ["first", "second"] { _ = try await closers.open { Connection(name: name, log: log) } }
        for _ in 1...2 { try await closers.close(within: .seconds(3_600), each: .seconds(3_600)) }
        #expect(log.all == ["second", "first"])
    }

    @Test func aClientThatFailsToOpenIsNotClosed() async throws {
        await #expect(throws: Declined.self) {
            try await closers.open { () throws -> Connection in throw Declined() }
        }
        try await closers.close(within: .seconds(3_600), each: .seconds(3_600))
        #expect(log.all.isEmpty)
    }

    @Test func aClientThatHangsDoesNotKeepTheOthersOpen() async throws {
        _ = try await closers.open { Connection(name: "first", log: log) }
        _ = try await closers.open {
            Connection(name: "second", log: log) { try await Task.sleep(for: .seconds(3_600)) }
        }
        let error = await #expect(throws: StopError.self) {
            try await closers.close(within: .seconds(3_600), each: .milliseconds(1))
        }
        #expect(error?.problems == ["Connection did not close within 0.001 seconds"])
        #expect(log.all == ["second", "first"])
    }

    @Test func aClientThatThrowsDoesNotKeepTheOthersOpen() async throws {
        _ = try await closers.open { Connection(name: "first", log: log) }
        _ = try await closers.open { Connection(name: "second", log: log) { throw Declined() } }
        let error = await #expect(throws: StopError.self) {
            try await closers.close(within: .seconds(3_600), each: .seconds(3_600))
        }
        #expect(error?.problems == ["Connection did not close: Declined()"])
        #expect(log.all == ["second", "first"])
    }
}
