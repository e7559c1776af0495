import Components
import Hummingbird
import Logging
import Synchronization
import Testing

@testable import ByHand

@Suite struct TransactionEndTests {
    @Test func aBodyThatIsNeverWrittenEndsTheTransaction() async throws {
        let (events, event) = AsyncStream.makeStream(of: String.self)
        let database = try await Database.open(events: Events { event.yield($0) })
        let transaction = try await database.begin()
        do { _ = TransactionEnd(transaction, logger: Logger(label: "")).follow(ResponseBody()) }
        #expect(await events.first { $0 == "roll back 1" } != nil)
    }

    @Test func aTransactionEndsOnce() async throws {
        let count = Mutex(0)
        let database = try await Database.open(events: Events { if $0 == "roll back 1" { count.withLock { $0 += 1 } } })
        let end = TransactionEnd(try await database.begin(), logger: Logger(label: ""))
        for _ in 1...2 { await end() }
        #expect(count.withLock { $0 } == 1)
    }
}
