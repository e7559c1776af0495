// The spelling of the README at the top level, where the compiler prefers synchronous overloads even if the call is awaited. No
// operation or closure in an awaited call suspends. `.ci/client` runs this often, and compares what it prints.
import Hopoate

final class Database: Sendable {
    static func connect() async throws -> Database { Database() }

    func close() async {
        await Task.yield()
        print("closed the database")
    }
}

final class Basket: Sendable {
    let user: User

    init(user: User) {
        self.user = user
    }

    func save() async {
        await Task.yield()
        print("saved the basket")
    }
}

struct User: Sendable { let name: String }

let app = DependencyContainer.shared
app.register(Database.self) { _ in
    try await Database.connect()
} onAsyncDispose: { database in
    await database.close()
}
app.register(Basket.self, lifetime: .scoped) { request in
    Basket(user: request.resolve())
} onAsyncDispose: { basket in
    await basket.save()
}
_ = try await app.asyncResolve(Database.self)

try await app.withChild { request in
    request.register(User(name: "Grace"), for: User.self)
} operation: { request in
    print(try request.require(Basket.self).user.name)
}
print("answered")
try await app.shutdown()
print("shut down")
