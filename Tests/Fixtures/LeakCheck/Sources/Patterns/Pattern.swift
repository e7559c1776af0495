import Hopoate
import Ledger

/// A way to use the library that its articles describe: makes a container, uses it, and drops it.
struct Pattern: Sendable {
    let name: String
    let run: @Sendable () async throws -> Void

    init(_ name: String, _ run: @escaping @Sendable () async throws -> Void) {
        self.name = name
        self.run = run
    }
}

/// What most patterns register as something that others need.
final class Base: Sendable {
    let life = Life()
}

/// Gets what it needs by its initializer.
final class Client: Sendable {
    let life = Life()
    let base: Base

    init(base: Base) {
        self.base = base
    }
}

/// Lifetimes for any service, values included, that is made when it is asked for.
let lazyLifetimes: [Lifetime] = [.singleton, .transient, .graph, .scoped, .cached(in: DependencyScope("session"))]

extension DependencyContainer {
    /// A container in which `Base` is a singleton.
    static func withBase() -> DependencyContainer {
        let container = tracked()
        container.register(Base.self) { _ in Base() }
        return container
    }

    /// Runs code with this container as the shared one.
    func bound<Output>(_ operation: () throws -> Output) rethrows -> Output {
        try DependencyContainer.$shared.withValue(self, operation: operation)
    }

    /// Runs code with this container as the shared one.
    func bound<Output>(_ operation: () async throws -> Output) async rethrows -> Output {
        try await DependencyContainer.$shared.withValue(self, operation: operation)
    }
}
