import Hopoate
import HopoateHummingbird
import Hummingbird
import NIOHTTP1
import Testing

/// The recipe of the article on integrations.
@Suite struct TransactionTests {
    private func makeApp() -> TestApp {
        let app = TestApp()
        app.container.register(app.journal, for: Journal.self)
        app.container.register(Transaction.self, lifetime: .scoped) { container in
            try await Transaction.begin(in: container.require(Journal.self))
        } onAsyncDispose: { transaction in
            await transaction.rollBackUnlessCommitted()
        }
        app.container.register(OrderStore.self, lifetime: .transient, using: OrderStore.init)
        app.router.get("plain") { _, _ in "no transaction" }
        let writes = app.router.group().add(middleware: CommitOnSuccess())
        writes.post("orders", using: OrderStore.self) { store, _, _ in
            try await store.insert()
            return HTTPResponse.Status.created
        }
        writes.post("refused", using: OrderStore.self) { store, _, _ in
            try await store.insert()
            return HTTPResponse.Status.conflict
        }
        writes.post("failing", using: OrderStore.self) { store, _, _ -> String in
            try await store.insert()
            throw Refused()
        }
        return app
    }

    @Test func aSuccessfulRequestCommits() async throws {
        let app = makeApp()
        try await app.serve { server in
            let answer = try await server.get("/orders", method: .POST)
            #expect(answer.status == 201)
            #expect(app.journal.all == ["begin", "insert", "commit"])
            try await eventually { app.scopes.live == 0 }
        }
        #expect(app.journal.all == ["begin", "insert", "commit"])
    }

    @Test(arguments: [("/refused", 409), ("/failing", 500)]) func otherRequestsRollBack(path: String, status: Int)
        async throws
    {
        let app = makeApp()
        try await app.serve { server in
            let answer = try await server.get(path, method: .POST)
            #expect(answer.status == status)
            try await app.journal.wait(for: "roll back")
        }
        #expect(app.journal.all == ["begin", "insert", "roll back"])
    }

    @Test func eachRequestHasATransactionOfItsOwn() async throws {
        let app = makeApp()
        try await app.serve { server in
            _ = try await server.get("/plain")
            #expect(app.journal.all.isEmpty)
            for _ in 0..<2 { _ = try await server.get("/orders", method: .POST) }
        }
        #expect(app.journal.all == ["begin", "insert", "commit", "begin", "insert", "commit"])
    }
}

/// A transaction that notes its steps instead of sending them to a database.
private actor Transaction {
    private let journal: Journal
    private var isCommitted = false

    private init(journal: Journal) {
        self.journal = journal
    }

    static func begin(in journal: Journal) async throws -> Transaction {
        journal.note("begin")
        return Transaction(journal: journal)
    }

    func insert() throws { journal.note("insert") }

    func commit() throws {
        journal.note("commit")
        isCommitted = true
    }

    func rollBackUnlessCommitted() {
        if !isCommitted { journal.note("roll back") }
    }
}

private struct OrderStore: Sendable {
    let transaction: Transaction

    func insert() async throws { try await transaction.insert() }
}

private struct CommitOnSuccess: RouterMiddleware {
    typealias Context = AppContext

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        let transaction = try await context.dependencies.asyncResolve(Transaction.self)
        let response = try await next(request, context)
        if response.status.kind == .successful { try await transaction.commit() }
        return response
    }
}
