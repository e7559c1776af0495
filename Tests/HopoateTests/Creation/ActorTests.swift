import Foundation
import Hopoate
import Testing

@globalActor private actor Rendering {
    static let shared = Rendering()
}

@MainActor private final class Window {
    let number: Int
    init(_ number: Int) {
        MainActor.assertIsolated()
        self.number = number
    }
}

@Rendering private final class Canvas {
    init() { Rendering.assertIsolated() }
}

private actor Account {
    private(set) var balance = 0
    func deposit(_ amount: Int) -> Int {
        balance += amount
        return balance
    }
}

/// Factories that are isolated to an actor.
@Suite struct ActorTests {
    let container = DependencyContainer()

    @Test func factoryRunsOnTheMainActor() async throws {
        let made = Locked(0)
        container.register(Window.self) { @MainActor _ in
            made.withLock { $0 += 1 }
            return Window(7)
        }
        let container = container
        #expect(
            failure { () throws(DependencyError) in try container.require(Window.self) }?.reason == .onlyAsynchronous)
        let windows = try await withThrowingTaskGroup(of: Window.self) { group in
            for _ in 0..<8 { group.addTask { try await container.asyncResolve(Window.self) } }
            return try await group.reduce(into: [Window]()) { $0.append($1) }
        }
        #expect(windows.allSatisfy { $0 === windows[0] } && made.current == 1)
        #expect(container.resolve(Window.self) === windows[0])
    }

    @MainActor
    @Test func mainActorMayResolveServicesThatAreCreatedOnIt() async throws {
        container.register(Window.self, lifetime: .transient) { @MainActor container in
            Window(container.resolve(Int.self))
        }
        container.register(Int.self) { _ in 3 }
        #expect(try await container.asyncResolve(Window.self).number == 3)
    }

    @Test func factoryRunsOnACustomActor() async throws {
        container.register(Canvas.self) { @Rendering _ async in Canvas() }
        container.register(Window.self) { @MainActor container async throws in
            _ = try await container.asyncResolve(Canvas.self)
            return Window(1)
        }
        let container = container
        let window = try await container.asyncResolve(Window.self)
        #expect(window === container.resolve(Window.self))
        #expect(container.canResolve(Canvas.self))
    }

    @Test func throwingMainActorFactoryIsRetried() async throws {
        let attempts = Locked(0)
        container.register(Window.self) { @MainActor _ in
            try attempts.withLock { attempts in
                attempts += 1
                if attempts == 1 { throw Refusal.first }
            }
            return Window(1)
        }
        let error = await failure { () async throws(DependencyError) in try await container.asyncResolve(Window.self) }
        #expect(error?.underlying as? Refusal == .first)
        #expect(try await container.asyncResolve(Window.self).number == 1)
    }

    @Test func actorsAreServices() async throws {
        container.register(Account.self) { _ in Account() }
        let container = container
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<10 { group.addTask { _ = await container.resolve(Account.self).deposit(1) } }
        }
        #expect(await container.resolve(Account.self).balance == 10)
    }
}
