import Hopoate
import HopoateHummingbird
import HopoateServer
import Hummingbird
import Testing

/// Request scopes inside the containers of tenants.
@Suite struct TenantTests {
    private struct TenantID: Hashable, Sendable { let text: String }
    private struct Address: Sendable { let path: String }
    private final class Session: Sendable {
        let tenant: TenantID
        let address: Address

        init(_ tenant: TenantID, _ address: Address) {
            self.tenant = tenant
            self.address = address
        }
    }

    private let app = TestApp()

    private func makeTenants(limit: Int) -> DependencyChildren<TenantID> {
        app.container.register(Session.self, lifetime: .scoped, using: Session.init)
        return DependencyChildren(of: app.container, limit: limit, idle: .seconds(600)) {
            [journal = app.journal] id, tenant in
            if id.text == "unknown" { throw HTTPError(.notFound) }
            tenant.register(id, for: TenantID.self)
            tenant.register(
                Work.self, factory: { _ in Work() }, onAsyncDispose: { _ in journal.note("closed \(id.text)") })
            _ = tenant.resolve(Work.self)
        } onDisposalFailure: { _, _ in
        }
    }

    @Test func eachRequestIsInTheScopeOfItsTenant() async throws {
        let tenants = makeTenants(limit: 10)
        let router = Router(context: AppContext.self)
        let routes = router.scoped(
            to: app.container,
            tenant: .child(of: tenants) { request, context in TenantID(text: try context.parameters.require("tenant")) }
        ) { request, _ in Address(path: request.uri.path) }
        routes.get(":tenant/session", using: Session.self) { session, _, _ in
            "\(session.tenant.text) \(session.address.path)"
        }
        try await app.serve(router) { server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<60 {
                    group.addTask {
                        let tenant = "t\(number % 6)"
                        let answer = try await server.get("/\(tenant)/session")
                        #expect(answer == Answer(status: 200, body: "\(tenant) /\(tenant)/session"))
                    }
                }
                try await group.waitForAll()
            }
            #expect(Set(tenants.keys.map(\.text)) == ["t0", "t1", "t2", "t3", "t4", "t5"])
            let unknown = try await server.get("/unknown/session")
            #expect(unknown.status == 404)
        }
        #expect(app.journal.all.isEmpty)
        try await app.container.shutdown()
        #expect(Set(app.journal.all).count == 6)
    }

    @Test func aRequestKeepsItsTenantAndAnotherOneIsRefused() async throws {
        let tenants = makeTenants(limit: 1)
        let router = Router(context: AppContext.self)
        router.add(
            middleware: RequestScope(
                app.container,
                tenant: .child(of: tenants) { request, context in
                    guard let tenant = request.uri.queryParameters["tenant"] else { throw HTTPError(.badRequest) }
                    return TenantID(text: String(tenant))
                }))
        router.get("wait") { [journal = app.journal] _, context in
            journal.note("arrived")
            try await journal.wait(for: "go on")
            return try context.dependencies.require(TenantID.self).text
        }
        router.get("pass") { _, context in try context.dependencies.require(TenantID.self).text }
        try await app.serve(router) { server in
            async let waiting = server.get("/wait?tenant=a")
            try await app.journal.wait(for: "arrived")
            let refused = try await server.get("/pass?tenant=b")
            #expect(refused.status == 503)
            let without = try await server.get("/pass")
            #expect(without.status == 400)
            app.journal.note("go on")
            let answer = try await waiting
            #expect(answer == Answer(status: 200, body: "a"))
            // The scope of the first request may end a little after its response.
            var next = try await server.get("/pass?tenant=b")
            while next.status == 503 { next = try await server.get("/pass?tenant=b") }
            #expect(next == Answer(status: 200, body: "b"))
        }
        #expect(app.journal.all.contains("closed a"))
    }
}
