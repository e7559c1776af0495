import Hopoate
import Ledger

/// A documented way to use the library: it creates a container, uses it, and releases it.
struct Pattern: Sendable {
    let name: String
    let run: @Sendable () async throws -> Void

    init(_ name: String, _ run: @escaping @Sendable () async throws -> Void) {
        self.name = name
        self.run = run
    }
}

/// The dependency in most patterns.
final class Base: Sendable {
    let life = Life()
}

/// Gets its dependency as a parameter of its initializer.
final class Client: Sendable {
    let life = Life()
    let base: Base

    init(base: Base) {
        self.base = base
    }
}

/// Lifetimes for lazily created services of any type, values included.
let lazyLifetimes: [Lifetime] = [.singleton, .transient, .graph, .scoped, .cached(in: DependencyScope("session"))]

extension DependencyContainer {
    /// Returns a container with `Base` as a singleton.
    static func withBase() -> DependencyContainer {
        let container = tracked()
        container.register(Base.self) { _ in Base() }
        return container
    }

    /// Runs code with this container as the override of `shared`.
    func bound<Output>(_ operation: () throws -> Output) rethrows -> Output {
        try DependencyContainer.$shared.withValue(self, operation: operation)
    }

    /// Runs code with this container as the override of `shared`.
    func bound<Output>(_ operation: () async throws -> Output) async rethrows -> Output {
        try await DependencyContainer.$shared.withValue(self, operation: operation)
    }
}
