import Foundation
import Hopoate
import Testing

/// A creation ends when its factory returns. Tasks that the factory started are not part of it afterwards and retain nothing of
/// it.
@Suite(.mayBlock) struct CreationEndTests {
    private struct Part: Sendable {}

    private final class Client: Sendable {
        let number: Int
        init(_ number: Int) { self.number = number }
    }

    let container = DependencyContainer()
    let tracker = Tracker()

    @Test func serviceWithATaskOfItsOwnIsReleased() async throws {
        let goOn = AsyncSignal()
        let tracker = tracker
        for _ in 0..<20 {
            let token = container.register(Tracked.self) { _ async in
                Task { await goOn.wait() }
                return tracker.make()
            }
            _ = try await container.asyncResolve(Tracked.self)
            container.remove(token)
        }
        #expect(await eventually { tracker.live == 0 })
        goOn.raise()
    }

    @Test func laterResolvesOfATaskUseANewGraph() async throws {
        let goOn = AsyncSignal()
        let tracker = tracker
        let later = Locked<Task<Tracked, Never>?>(nil)
        container.register(Tracked.self, lifetime: .graph) { _ in tracker.make() }
        container.register(Part.self) { container async in
            let early = container.resolve(Tracked.self)
            let task = Task {
                await goOn.wait()
                return container.resolve(Tracked.self)
            }
            later.withLock { $0 = task }
            withExtendedLifetime(early) {}
            return Part()
        }
        _ = try await container.asyncResolve(Part.self)
        #expect(await eventually { tracker.live == 0 })
        goOn.raise()
        _ = await later.take()?.value
        #expect(tracker.made == 2)
    }

    @Test func errorOfATaskOmitsFinishedCreations() async throws {
        let goOn = AsyncSignal()
        let later = Locked<Task<DependencyError?, Never>?>(nil)
        container.register(Part.self) { container async in
            let task = Task {
                await goOn.wait()
                return failure { () throws(DependencyError) in try container.require(Int.self) }
            }
            later.withLock { $0 = task }
            return Part()
        }
        _ = try await container.asyncResolve(Part.self)
        goOn.raise()
        #expect(await later.take()?.value?.chain == ["Swift.Int"])
    }

    @Test func serviceMayBeResolvedByATaskOfItsFactory() async throws {
        let goOn = AsyncSignal()
        let later = Locked<Task<DependencyError?, Never>?>(nil)
        container.register(Client.self, lifetime: .transient) { container async in
            // Only the first reconnect does this.
            if later.withLock({ $0 == nil }) {
                let task = Task {
                    await goOn.wait()
                    return await failure { () async throws(DependencyError) in
                        try await container.asyncResolve(Client.self)
                    }
                }
                later.withLock { $0 = task }
            }
            return Client(0)
        }
        _ = try await container.asyncResolve(Client.self)
        goOn.raise()
        #expect(await later.take()?.value == nil)
    }

    /// A task of each connection creates the next one.
    @Test func repeatedReconnectsDoNotNestCreations() async throws {
        let connections = 1000
        let outcomes = Locked<[String]>([])
        let isOver = AsyncSignal()
        container.register(Client.self, lifetime: .transient) { (container, number: Int) async in
            Task {
                if number == connections { return isOver.raise() }
                do {
                    _ = try await container.asyncResolve(Client.self, arguments: number + 1)
                } catch {
                    outcomes.withLock { $0.append("\(error)") }
                    isOver.raise()
                }
            }
            return Client(number)
        }
        _ = try await container.asyncResolve(Client.self, arguments: 1)
        await isOver.wait()
        #expect(outcomes.current == [])
    }

    @Test func creationThatResolvesItselfInATaskIsReported() async {
        container.register(Part.self) { container async throws in
            try await withThrowingTaskGroup(of: Part.self) { group in
                group.addTask { try await container.asyncResolve(Part.self) }
                return try await group.next()!
            }
        }
        let error = await failure { [container] () async throws(DependencyError) in
            try await container.asyncResolve(Part.self)
        }
        #expect(error?.reason == .circular)
    }

    /// How a service is created whose factory starts a task.
    enum Worker: CaseIterable, Sendable {
        case singleton, suspendingSingleton, graph, suspendingGraph, suspendingTransient, scopedInChild

        var suspends: Bool { [.suspendingSingleton, .suspendingGraph, .suspendingTransient].contains(self) }

        var lifetime: Lifetime {
            switch self {
            case .singleton, .suspendingSingleton: .singleton
            case .graph, .suspendingGraph: .graph
            case .suspendingTransient: .transient
            case .scopedInChild: .scoped
            }
        }
    }

    /// The task resolves the service whose factory still runs, and which has resolved the one that started the task.
    @Test(arguments: Worker.allCases)
    func taskWhoseFactoryHasReturnedIsInsideNoCreation(worker: Worker) async throws {
        let (container, tracker) = (container, tracker)
        let (hasReturned, hasTried) = (AsyncSignal(), AsyncSignal())
        let tried = Locked<(reason: DependencyError.Reason?, part: Tracked)?>(nil)
        let later = Locked<Task<Client, any Error>?>(nil)
        container.register(Tracked.self, lifetime: .graph) { _ in tracker.make() }
        let start = { @Sendable in
            let task = Task {
                await hasReturned.wait()
                // It never waits for a creation that suspends, so the answer comes while that one is in flight.
                let error = failure { () throws(DependencyError) in try container.require(Client.self) }
                tried.withLock { $0 = (error?.reason, container.resolve(Tracked.self)) }
                hasTried.raise()
                return try await container.asyncResolve(Client.self)
            }
            later.withLock { $0 = task }
        }
        if worker.suspends {
            container.register(Part.self, lifetime: worker.lifetime) { _ async in
                start()
                return Part()
            }
        } else {
            container.register(Part.self, lifetime: worker.lifetime) { _ in
                start()
                return Part()
            }
        }
        container.register(Client.self) { container async throws in
            let part = container.resolve(Tracked.self)
            let child = container.makeChild()
            _ = try await (worker == .scopedInChild ? child : container).asyncResolve(Part.self)
            hasReturned.raise()
            await hasTried.wait()
            #expect(tried.current?.part !== part)
            #expect(container.resolve(Tracked.self) === part)
            return Client(7)
        }
        let client = try await container.asyncResolve(Client.self)
        #expect(tried.take()?.reason == .onlyAsynchronous)
        #expect(try await later.take()?.value === client)
    }
}
