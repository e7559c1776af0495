import Hopoate
import Ledger
import Synchronization

private struct Refusal: Error {}

/// Created by a factory that suspends.
private final class Connection: Sendable {
    let life = Life()
    let base: Base

    init(base: Base) {
        self.base = base
    }

    @Sendable static func open(base: Base) async throws -> Connection {
        await Task.yield()
        return Connection(base: base)
    }
}

/// Blocks tasks until it is opened.
private final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}

/// Factories that suspend.
let asyncPatterns: [Pattern] =
    [Lifetime.singleton, .transient, .scoped, .weak, .graph, .cached(in: DependencyScope("session"))].map { lifetime in
        Pattern("asynchronous creation, \(lifetime)") {
            let container = DependencyContainer.withBase()
            container.register(Connection.self, lifetime: lifetime) { container in
                try await Connection.open(base: container.asyncResolve())
            }
            for asked in [container, container.makeTrackedChild()] {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<8 { group.addTask { _ = try await asked.asyncResolve(Connection.self) } }
                    try await group.waitForAll()
                }
            }
        }
    } + [
        Pattern("warm-up and asynchronous shutdown") {
            let container = DependencyContainer.withBase()
            container.register(Connection.self, using: Connection.open, onAsyncDispose: { _ in await Task.yield() })
            try await container.warmUp()
            _ = container.resolve(Connection.self)
            try await container.shutdown()
        },
        Pattern("asynchronous creation, keyed") {
            let container = DependencyContainer.withBase()
            container.register(Connection.self, lifetime: .keyed) { (container, _: Int) async throws in
                try await Connection.open(base: container.asyncResolve())
            }
            for number in 0..<10 { _ = try await container.asyncResolve(Connection.self, arguments: number % 3) }
        },
        Pattern("asynchronous creations that fail") {
            let container = DependencyContainer.withBase()
            container.register(Connection.self) { container in
                _ = try await Connection.open(base: container.asyncResolve())
                throw Refusal()
            }
            for asked in [container, container.makeTrackedChild()] {
                let waiters = (0..<4).map { _ in Task { try await asked.asyncResolve(Connection.self) } }
                for waiter in waiters {
                    guard case .failure = await waiter.result else { preconditionFailure("the creation fails") }
                }
            }
        },
        Pattern("waiters that are cancelled") {
            let gate = Gate()
            let container = DependencyContainer.withBase()
            container.register(Connection.self) { container in
                await gate.pass()
                return try await Connection.open(base: container.asyncResolve())
            }
            let waiters = (0..<4).map { _ in Task { try await container.asyncResolve(Connection.self) } }
            for waiter in waiters.dropLast() {
                waiter.cancel()
                _ = await waiter.result
            }
            gate.open()
            _ = try await waiters.last?.value
        },
        Pattern("container that is dropped while it creates") {
            let gate = Gate()
            var container: DependencyContainer? = .withBase()
            container?.register(Connection.self) { container in
                await gate.pass()
                return try await Connection.open(base: container.asyncResolve())
            }
            let waiter = Task { [container] in try await container?.asyncResolve(Connection.self) }
            container = nil
            gate.open()
            _ = await waiter.result
        },
        Pattern("lazy services and providers that wait") {
            let container = DependencyContainer.withBase()
            container.register(Connection.self, using: Connection.open)
            let lazy = LazyDependency<Connection>(container: container)
            let provider = container.provider(Connection.self)
            let (one, other) = (try await lazy.asyncResolve(), try await provider.asyncResolve())
            precondition(one === other)
        },
    ]
    + [Lifetime.singleton, .scoped, .transient].map { lifetime in
        // A heartbeat, for example: it outlives the creation, and retains neither the service nor the container.
        Pattern("a task that a creator has started, and that goes on, \(lifetime)") {
            let gate = Gate()
            let heartbeat = Mutex<Task<Void, Never>?>(nil)
            let mark = Ledger.mark
            try await use(lifetime) {
                let task = Task { await gate.pass() }
                heartbeat.withLock { $0 = task }
            }
            // The task is still running, but everything else must have ended.
            let leftovers = await Ledger.leftovers(since: mark)
            gate.open()
            await heartbeat.withLock { $0 }?.value
            if let leftovers { throw KeptByTask(leftovers: leftovers) }
        }
    }
    + [Lifetime.singleton, .scoped].map { lifetime in
        Pattern("a service that cancels its task at its end, \(lifetime)") {
            let container = DependencyContainer.withBase()
            container.register(Heartbeat.self, lifetime: lifetime) { _ async in
                await Task.yield()
                return Heartbeat()
            }
            _ = try await container.makeTrackedChild().asyncResolve(Heartbeat.self)
        }
    }

/// Runs until it is released.
private final class Heartbeat: Sendable {
    let life = Life()
    private let task = Task {
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3_600)) }
    }

    deinit { task.cancel() }
}

private func use(_ lifetime: Lifetime, whileCreating body: @escaping @Sendable () -> Void) async throws {
    let container = DependencyContainer.withBase()
    container.register(Connection.self, lifetime: lifetime) { container in
        body()
        return try await Connection.open(base: container.asyncResolve())
    }
    let request = container.makeTrackedChild()
    if lifetime.description == Lifetime.transient.description {
        // A transient factory runs in the context of its caller, so a binding of the caller would apply.
        _ = try await request.asyncResolve(Connection.self)
    } else {
        try await request.bound { _ = try await request.asyncResolve(Connection.self) }
    }
}

private struct KeptByTask: Error, CustomStringConvertible {
    let leftovers: String
    var description: String { "while a task of the creator goes on, \(leftovers)" }
}
