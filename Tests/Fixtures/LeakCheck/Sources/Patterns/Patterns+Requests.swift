import Hopoate
import Ledger

private struct Refusal: Error {}

/// A service of an HTTP request, which it names.
private final class Session: Sendable {
    let life = Life()
    let number: Int
    let base: Base

    init(number: Int, base: Base) {
        self.number = number
        self.base = base
    }
}

/// Returns the container of a server application.
private func makeApplication() -> DependencyContainer {
    let application = DependencyContainer.withBase()
    application.register(Session.self, lifetime: .scoped, using: Session.init)
    application.register(Client.self, lifetime: .scoped) { container in
        Client(base: container.resolve())
    } onAsyncDispose: { _ in
        await Task.yield()
    }
    return application
}

/// Handles an HTTP request like a middleware.
private func handle(_ number: Int, in application: DependencyContainer, refused: Bool = false) async throws {
    let request = application.makeTrackedChild()
    request.register(number, for: Int.self)
    try await request.bound {
        precondition(resolve(Session.self).number == number)
        await Task.yield()
        _ = resolve(Client.self)
        if refused { throw Refusal() }
    }
    if number % 2 == 0 { try await request.shutdown() }
}

/// A container per HTTP request.
let requestPatterns: [Pattern] = [
    Pattern("requests one after another") {
        let application = makeApplication()
        for number in 0..<100 { try await handle(number, in: application) }
    },
    Pattern("requests at once") {
        let application = makeApplication()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 { group.addTask { try await handle(number, in: application) } }
            try await group.waitForAll()
        }
        try await application.shutdown()
    },
    Pattern("requests that throw, and that are cancelled") {
        let application = makeApplication()
        for number in 0..<20 {
            do { try await handle(number, in: application, refused: true) } catch is Refusal {}
            let task = Task { try await handle(number, in: application) }
            task.cancel()
            _ = await task.result
        }
    },
    Pattern("detached work of a request") {
        let application = makeApplication()
        let request = application.makeTrackedChild()
        request.register(7, for: Int.self)
        let task = Task.detached {
            request.bound { precondition(resolve(Session.self).number == 7) }
        }
        await task.value
    },
    Pattern("children of children") {
        var innermost = makeApplication()
        innermost.register(7, for: Int.self)
        for _ in 0..<10 {
            innermost = innermost.makeTrackedChild()
            _ = innermost.resolve(Session.self)
        }
    },
    Pattern("values of containers and closures") {
        let container = DependencyContainer.tracked()
        container.values[Marker.self] = Base()
        let child = container.makeTrackedChild()
        child.values[Marker.self] = Base()
        precondition(child.values[Marker.self] !== container.values[Marker.self])
        child.values.removeValue(for: Marker.self)
        precondition(child.values[Marker.self] === container.values[Marker.self])
        container.bound {
            withDependencies {
                $0[Marker.self] = Base()
            } operation: {
                let shared = Ledger.add(.shared)
                precondition(shared.values[Marker.self] !== container.values[Marker.self])
            }
        }
        await container.bound {
            await withDependencies {
                $0[Marker.self] = Base()
            } operation: {
                let shared = Ledger.add(.shared)
                async let child: Void = precondition(shared === DependencyContainer.shared)
                await child
                let task = Task { precondition(shared === DependencyContainer.shared) }
                await task.value
            }
        }
    },
]

private enum Marker: DependencyKey {
    static var defaultValue: Base? { nil }
}
