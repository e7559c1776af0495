import Synchronization
import Testing

@testable import ByHand

@Suite struct OnceTests {
    @Test func concurrentCallersShareOneCreation() async throws {
        let attempts = Atomic(0)
        let once = Once { attempts.add(1, ordering: .relaxed).newValue }
        let values = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 1...100 { group.addTask { try await once.get() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(values == Array(repeating: 1, count: 100))
    }

    @Test func aFailureIsNotKept() async throws {
        let attempts = Atomic(0)
        let once = Once {
            let attempt = attempts.add(1, ordering: .relaxed).newValue
            if attempt == 1 { throw TimedOut() }
            return attempt
        }
        await #expect(throws: TimedOut.self) { try await once.get() }
        #expect(await once.value == nil)
        #expect(try await once.get() == 2)
        #expect(await once.value == 2)
    }
}
