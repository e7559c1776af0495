/// A transaction. It rolls back when it ends, unless it was committed.
package actor Transaction {
    private let number: Int
    private let database: Database
    private let events: Events
    private var pending: [Order] = []
    private var isCommitted = false
    private var isEnded = false

    init(number: Int, database: Database, events: Events) {
        self.number = number
        self.database = database
        self.events = events
    }

    package func insert(_ order: Order) throws {
        try check()
        pending.append(order)
    }

    package func orders(of user: String) throws -> [Order] {
        try check()
        return (database.orders + (isCommitted ? [] : pending)).filter { $0.user == user }
    }

    package func commit() async throws {
        try check()
        try await events("commit \(number)")
        database.add(pending)
        isCommitted = true
    }

    package func end() async throws {
        try check()
        isEnded = true
        try await events(isCommitted ? "end \(number)" : "roll back \(number)")
    }

    private func check() throws {
        if isEnded { throw TransactionEnded() }
    }
}

package struct TransactionEnded: Error {}
