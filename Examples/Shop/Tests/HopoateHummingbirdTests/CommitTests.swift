import Foundation
import GRDB
import Hopoate
import HopoateHummingbird
import HopoateServer
import Hummingbird
import Synchronization
import Testing

/// A SQLite pool and a secret, which commits replace while HTTP requests use them.
@Suite struct CommitTests {
    /// A pool of connections that counts how often it was closed.
    private final class Pool: Sendable {
        let number: Int
        private let connections: DatabasePool
        private let closes = Atomic(0)

        init(_ number: Int, path: String) throws {
            self.number = number
            var configuration = Configuration()
            configuration.busyMode = .timeout(60)
            connections = try DatabasePool(path: path, configuration: configuration)
        }

        /// Reads a row. Fails after `close`.
        func check() async throws {
            #expect(closes.load(ordering: .acquiring) == 0, "the pool \(number) is used after its end")
            _ = try await connections.read { try Int.fetchOne($0, sql: "SELECT 1") }
        }

        func close() throws {
            closes.add(1, ordering: .acquiringAndReleasing)
            try connections.close()
        }

        var timesClosed: Int { closes.load(ordering: .acquiring) }
    }

    private struct Secret: Sendable { let number: Int }

    private final class Progress: Sendable {
        let isOver = Atomic(false)
        let pools = Mutex<[Pool]>([])
        let answers = Mutex(Set<String>())
    }

    /// The service of a request, which needs a pool and a secret of one generation.
    private struct Session: Sendable {
        let (pool, secret): (Pool, Secret)

        init(_ pool: Pool, _ secret: Secret) { (self.pool, self.secret) = (pool, secret) }

        func check(_ again: Pool) async throws -> String {
            try await pool.check()
            await Task.yield()
            try await again.check()
            return pool === again ? "\(pool.number) \(secret.number)" : "two pools in one request"
        }
    }

    @Test func aPoolAndASecretAreSwappedUnderLoad() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "commits-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "pool.sqlite").path
        let swaps = 1_000
        let progress = Progress()
        @Sendable func register(_ number: Int, in container: DependencyContainer) {
            container.register(Secret(number: number), for: Secret.self)
            container.register(
                Pool.self,
                factory: { _ async throws in
                    let pool = try Pool(number, path: path)
                    progress.pools.withLock { $0.append(pool) }
                    return pool
                }, onAsyncDispose: { try $0.close() })
        }
        let app = DependencyContainer.allowingCommits { Issue.record($0) }
        register(0, in: app)
        app.register(Session.self, lifetime: .scoped, using: Session.init)
        app.seal()
        _ = try await app.asyncResolve(Pool.self)

        let router = Router(context: AppContext.self)
        router.add(middleware: RequestScope(app))
        router.get("check") { _, context in
            let session = try context.dependencies.require(Session.self)
            return try await session.check(context.dependencies.require(Pool.self))
        }
        try await TestApp().serve(router) { server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        while !progress.isOver.load(ordering: .acquiring) {
                            let answer = try await server.get("/check")
                            let numbers = answer.body.split(separator: " ")
                            #expect(answer.status == 200 && numbers.count == 2 && numbers.first == numbers.last)
                            _ = progress.answers.withLock { $0.insert(answer.body) }
                        }
                    }
                }
                for number in 1...swaps { try await app.commit { register(number, in: $0) } }
                progress.isOver.store(true, ordering: .releasing)
                try await group.waitForAll()
            }
        }
        try await app.shutdown()
        let all = progress.pools.withLock { $0 }
        #expect(all.count == swaps + 1 && all.allSatisfy { $0.timesClosed == 1 })
        #expect(progress.answers.withLock(\.count) > 10)
    }
}
