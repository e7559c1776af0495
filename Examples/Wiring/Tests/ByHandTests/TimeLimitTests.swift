import Testing

@testable import ByHand

@Suite struct TimeLimitTests {
    @Test func aResultInTimeIsReturned() async throws {
        #expect(try await withTimeLimit(.seconds(3_600)) { 7 } == 7)
    }

    @Test func anErrorInTimeIsThrown() async throws {
        await #expect(throws: CancellationError.self) {
            try await withTimeLimit(.seconds(3_600)) { throw CancellationError() }
        }
    }

    @Test func anOperationThatIgnoresItsCancellationIsLeftBehind() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let uncancelled = Task { for await _ in ends {} }
        await #expect(throws: TimedOut.self) {
            try await withTimeLimit(.milliseconds(1)) { await uncancelled.value }
        }
        end.finish()
    }
}
