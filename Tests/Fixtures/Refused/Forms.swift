// The forms of the README, which compile without a warning with all options of a client.
import Hopoate

struct Footer: Sendable {}
struct Page: Sendable { let footer: Footer }
final class Store: Sendable {
    static func connect() async throws -> Store { Store() }
    func close() async {}
}

func wire(_ app: DependencyContainer) async throws {
    app.register(Store.self) {
        try await Store.connect()
    } onAsyncDispose: {
        await $0.close()
    }
    app.register(Footer(), for: Footer.self)
    app.register(Int.self, lifetime: .scoped) { (footer: Footer) in 1 }
    app.register(Page.self, lifetime: .transient, using: Page.init)
    app.register(String.self) { services in
        let page: Page = try services()
        return "\(page)"
    }
    try app.seal(.strict.allowing(.opaque), roots: [DependencyRoot(Page.self)]) { request in
        request.register(2, for: Int.self)
    }
    try await app.warmUp()
    _ = try await app.withChild { request in
        request.register(3, for: Int.self)
    } operation: { request in
        (try request.require(Page.self), resolve(Footer.self), try await request.asyncResolve(Store.self))
    }
    withService(Footer.self) { _ in }
    try await app.shutdown()
}

/// Two initializers with parameters of equal types: the labels say which one is meant.
struct Span: Sendable {
    init(from number: Int) {}
    init(to number: Int) {}
}

func registerByLabels(in container: DependencyContainer) {
    container.register(Span.self, using: Span.init(from:))
}
