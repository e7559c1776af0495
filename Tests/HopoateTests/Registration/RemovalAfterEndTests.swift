import Hopoate
import HopoateTestingHelpers
import Testing

/// Removing never traps, even if the container is sealed or shut down.
@Suite struct RemovalAfterEndTests {
    private final class Mock: Sendable {}

    private static let ends: [String] = ["seal", "shutdown", "both"]

    private func end(_ container: DependencyContainer, _ how: String) throws {
        if how != "shutdown" { container.seal() }
        if how != "seal" { try container.shutdownWithoutAwaitingHooks() }
    }

    @Test(arguments: ends)
    func registrationsCanBeRemovedFromAnEndedContainer(how: String) throws {
        let container = DependencyContainer()
        let token = container.register("text", for: String.self)
        container.register(1, for: Int.self)
        try end(container, how)
        container.remove(token)
        container.remove(token)
        #expect(!container.canResolve(String.self))
        container.removeAll()
        container.removeAll()
        #expect(!container.canResolve(Int.self))
    }

    @Test(arguments: ends)
    func mocksEndInAnEndedContainer(how: String) throws {
        let container = DependencyContainer()
        container.register(Mock(), for: Mock.self)
        do {
            let mock = MockContainer<Mock, Mock>(Mock(), container: container)
            #expect(container.resolve(Mock.self) === mock.mock)
            try end(container, how)
            withExtendedLifetime(mock) {}
        }
        #expect(container.canResolve(Mock.self) == (how == "seal"))
    }

    @Test(arguments: ends)
    func stubsEndInAnEndedContainer(how: String) async throws {
        let container = DependencyContainer()
        try container.withStub("stub", for: String.self) {
            #expect(container.resolve(String.self) == "stub")
            try end(container, how)
        }
        #expect(!container.canResolve(String.self))
        let other = DependencyContainer()
        try await other.withStub("stub", for: String.self) {
            await Task.yield()
            try end(other, how)
        }
        #expect(!other.canResolve(String.self))
    }

    @Test func hooksOfASealedContainerRunWhenItsRegistrationsGo() {
        let container = DependencyContainer()
        let disposed = Locked(0)
        let token = container.register(String.self) { _ in
            "text"
        } onDispose: { _ in
            disposed.withLock { $0 += 1 }
        }
        _ = container.resolve(String.self)
        container.seal()
        container.remove(token)
        #expect(disposed.current == 1)
    }

    @Test func hooksOfAShutdownInACancelledTaskAreNotCancelled() async throws {
        let container = DependencyContainer()
        let seen = Locked<[Bool]>([])
        container.register(String.self) { _ in
            "text"
        } onDispose: { _ in
            seen.withLock { $0.append(Task.isCancelled) }
        } onAsyncDispose: { _ in
            try await Task.sleep(nanoseconds: 1000)
            seen.withLock { $0.append(Task.isCancelled) }
        }
        _ = container.resolve(String.self)
        try await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await container.shutdown()
        }.value
        #expect(seen.current == [false, false])
    }
}
