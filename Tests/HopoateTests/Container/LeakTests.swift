import Foundation
import Hopoate
import Testing

/// Registers a service of each lifetime.
private func registerAll(in container: DependencyContainer, _ scope: DependencyScope, _ tracker: Tracker) {
    let context = tracker.make()
    let lifetimes: [(DependencyName, Lifetime)] = [
        ("eager", .eager), ("transient", .transient), ("singleton", .singleton), ("weak", .weak), ("graph", .graph),
        ("scoped", .scoped), ("cached", .cached(in: scope)),
    ]
    for (name, lifetime) in lifetimes {
        container.register(Tracked.self, named: name, lifetime: lifetime) { _ in tracker.make(context.number) }
    }
    container.register(Tracked.self, lifetime: .keyed) { (_, number: Int) in tracker.make(context.number + number) }
    for (name, lifetime) in lifetimes.dropFirst(3) {
        container.register(Tracked.self, named: name, lifetime: lifetime) { (_, number: Int) in
            tracker.make(context.number + number)
        }
    }
    container.register(Tracked.self) { (_, number: Int, _: Bool) in tracker.make(context.number + number) }
    container.hopoate1.register(service: Tracked.self, cacheService: false) { tracker.make(context.number) }
    container.decorate(Tracked.self) { inner, _ in inner }
    container.register(Tracked.self, named: "hook") { _ in
        tracker.make(context.number)
    } onDispose: { _ in
    }
    container.register(Tracked.self, named: "completed") { _ in
        tracker.make()
    } afterCreation: { _, _ in
    }
    container.register(Tracked.self, named: "async") { _ async in tracker.make(context.number) }
    container.register([Tracked].self, lifetime: .scoped) { container in
        names.map { container.resolve(Tracked.self, named: $0) }
    }
}

private let names: [DependencyName] = [
    "eager", "transient", "singleton", "weak", "graph", "scoped", "cached", "hook", "completed",
]

private let namesWithArguments: [DependencyName] = ["weak", "graph", "scoped", "cached"]

private func resolveAll(in container: DependencyContainer, _ number: Int) {
    for name in names { _ = container.resolve(Tracked.self, named: name) }
    _ = container.resolve(Tracked.self, arguments: number % 3)
    for name in namesWithArguments { _ = container.resolve(Tracked.self, named: name, arguments: number % 3) }
    // A value that no other caller has used.
    for name in namesWithArguments.prefix(2) { _ = container.resolve(Tracked.self, named: name, arguments: number) }
    _ = container.resolve(Tracked.self, arguments: number, true)
    _ = container.resolve(Tracked.self)
    _ = container.resolve([Tracked].self)
    _ = container.optionalResolve(String.self, named: "missing")
    _ = container.optionalResolve(String.self, arguments: 7)
    _ = try? container.require(Tracked.self, named: "unmade")
}

@Suite(.mayBlock) struct LeakTests {
    @Test func droppedContainerReleasesServicesOfAllLifetimes() async throws {
        let tracker = Tracker()
        let scope = DependencyScope("session")
        do {
            let container = DependencyContainer()
            registerAll(in: container, scope, tracker)
            let child = container.makeChild()
            for asked in [container, child] {
                resolveAll(in: asked, 1)
                _ = try await asked.asyncResolve(Tracked.self, named: "async")
            }
            #expect(tracker.live > 10)
        }
        await expectGone(tracker)
        scope.reset()
    }

    @Test func servicesThatGetTheirContainerDoNotKeepItAlive() {
        final class Client: @unchecked Sendable {
            let number: Int
            init(_ container: DependencyContainer) { number = container.resolve(Tracked.self, named: "eager").number }
        }
        let tracker = Tracker()
        weak var gone: DependencyContainer?
        do {
            let container = DependencyContainer()
            gone = container
            registerAll(in: container, DependencyScope("session"), tracker)
            for lifetime in [Lifetime.eager, .singleton, .transient, .weak, .graph, .scoped] {
                container.register(Client.self, lifetime: lifetime) { Client($0) }
                _ = container.resolve(Client.self)
                _ = container.makeChild().resolve(Client.self)
            }
            resolveAll(in: container, 1)
        }
        #expect(gone == nil)
        expectGone(tracker)
    }

    /// If each container ended inside the end of its child, the stack would overflow.
    @Test func longChainOfContainersEndsOnASmallStack() {
        let isGone = onThread(stackSize: 256 << 10) {
            weak var root: DependencyContainer?
            var container = DependencyContainer()
            root = container
            for _ in 0..<10_000 { container = container.makeChild() }
            if root == nil { return false }
            container = DependencyContainer()
            return root == nil
        }
        #expect(isGone == true)
    }

    #if compiler(>=6.2)
        @Test func manyResolvesOfAllLifetimesLeaveTheHeapAsItWas() async {
            await #expect(processExitsWith: .success) {
                let tracker = Tracker()
                let container = DependencyContainer()
                registerAll(in: container, DependencyScope("session"), tracker)
                func ask(_ count: Int) {
                    for number in 0..<count {
                        resolveAll(in: container, number)
                        // The child is released with all of its instances.
                        if number % 100 == 0 { resolveAll(in: container.makeChild(), number) }
                    }
                }
                ask(500)
                let before = allocatedBytes()
                ask(rounds(80_000))
                let growth = allocatedBytes() - before
                #expect(growth < 50_000, "\(growth) bytes")
            }
        }

        @Test func manyAsynchronousResolvesLeaveTheHeapAsItWas() async {
            await #expect(processExitsWith: .success) {
                let tracker = Tracker()
                let container = DependencyContainer()
                let names: [DependencyName] = ["transient", "graph", "weak"]
                for (name, lifetime) in zip(names, [Lifetime.transient, .graph, .weak]) {
                    container.register(Tracked.self, named: name, lifetime: lifetime) { _ async in
                        await Task.yield()
                        return tracker.make()
                    }
                }
                container.register(Int.self, lifetime: .keyed) { (_, _: Int) async throws in throw Refusal.first }
                func ask(_ count: Int) async {
                    for number in 0..<count {
                        for name in names { _ = try? await container.asyncResolve(Tracked.self, named: name) }
                        _ = try? await container.asyncResolve(Int.self, arguments: number)
                    }
                }
                /// The same tasks and suspensions without a container.
                func control(_ count: Int) async {
                    for _ in 0..<count {
                        for _ in names {
                            _ = await Task.detached {
                                await Task.yield()
                                return tracker.make()
                            }.value
                        }
                        _ = try? await Task.detached { throw Refusal.first }.value
                    }
                }
                func growths(_ body: (Int) async -> Void) async -> [Int] {
                    var growths: [Int] = []
                    for _ in 0..<8 {
                        let before = allocatedBytes()
                        await body(rounds(10_000))
                        growths.append(allocatedBytes() - before)
                    }
                    return growths
                }
                // The heap also grows without a container, because Dispatch keeps continuations per thread. A leak shows in every
                // attempt, with at least one block per round. Sanitizers keep more per thread and run so few rounds that this
                // matters.
                let usual = await growths(control)
                let own = await growths(ask)
                let bound = max(0, usual.max()!) + rounds(10_000) * 16 + (isSanitized ? 65_536 : 0)
                #expect(own.min()! < bound, "\(own) bytes, without a container \(usual)")
            }
        }

        @Test func registrationsThatComeAndGoLeaveTheHeapAsItWas() async {
            await #expect(processExitsWith: .success) {
                let tracker = Tracker()
                let container = DependencyContainer()
                let scope = DependencyScope("session")
                func use(_ count: Int) {
                    for number in 0..<count {
                        registerAll(in: container, scope, tracker)
                        resolveAll(in: container, number)
                        if number % 2 == 0 { container.removeAll() }
                    }
                    container.removeAll()
                }
                use(100)
                let before = allocatedBytes()
                use(rounds(10_000))
                let growth = allocatedBytes() - before
                #expect(growth < 100_000, "\(growth) bytes")
                #expect(tracker.live == 0)
            }
        }
    #endif
}
