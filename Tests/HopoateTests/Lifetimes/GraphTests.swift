import Hopoate
import Testing

private final class Pair {
    let parts: [Tracked]
    init(_ parts: [Tracked]) { self.parts = parts }
}

/// `Lifetime.graph`: one instance per outermost resolve call and container. GraphRegionTests has the services that begin a graph of their
/// own.
@Suite(.mayBlock) struct GraphTests {
    let container = DependencyContainer()
    let tracker = Tracker()

    init() {
        container.register(Tracked.self, lifetime: .graph) { [tracker] _ in tracker.make(tracker.made) }
    }

    @Test func instanceIsSharedWithinOneResolveCallOnly() {
        container.register(Pair.self, lifetime: .transient) { try Pair([$0(), $0()]) }
        let (first, second) = (container.resolve(Pair.self), container.resolve(Pair.self))
        #expect(first.parts[0] === first.parts[1])
        #expect(second.parts[0] === second.parts[1])
        #expect(first.parts[0] !== second.parts[0])
        #expect(container.resolve(Tracked.self) !== container.resolve(Tracked.self))
    }

    @Test func instanceIsSharedThroughIntermediateServices() {
        struct Leaf { let part: Tracked }
        struct Built { let part: Tracked }
        container.register(Leaf.self, lifetime: .transient) { try Leaf(part: $0()) }
        container.register(Built.self, lifetime: .transient, using: Built.init)
        container.register(Leaf.self, named: "scoped", lifetime: .scoped) { try Leaf(part: $0()) }
        container.register(Leaf.self, lifetime: .transient) { [unowned container] _ in
            Leaf(part: container.resolve())
        }
        container.register(Pair.self, lifetime: .transient) { container in
            Pair(
                container.resolveAll(Leaf.self).map(\.part) + [
                    try container(), try container(Built.self).part, try container(Leaf.self, named: "scoped").part,
                    container.withService(Tracked.self) { $0 }, container.withResolved(Leaf.self) { $0.part },
                    container.resolveAll(Tracked.self)[0],
                ])
        }
        let pair = container.resolve(Pair.self)
        #expect(pair.parts.count == 8)
        #expect(Tracker.count(pair.parts) == 1)
        #expect(tracker.made == 1)
    }

    @Test func graphServiceSharesWithItsDependencies() {
        container.register(Pair.self, lifetime: .graph) { try Pair([$0(), $0()]) }
        struct Both { let pair: Pair, part: Tracked }
        container.register(Both.self, lifetime: .transient) { container in
            let pair = try container(Pair.self)
            #expect(pair === container.resolve(Pair.self))
            return try Both(pair: pair, part: container())
        }
        let both = container.resolve(Both.self)
        #expect(Tracker.count(both.pair.parts + [both.part]) == 1)
        let pair = container.resolve(Pair.self)
        #expect(pair.parts[0] === pair.parts[1])
        #expect(tracker.made == 2)
    }

    @Test func concurrentResolveCallsHaveSeparateGraphs() {
        container.register(Pair.self, lifetime: .transient) { try Pair([$0(), $0()]) }
        let pairs = race(8) { [container] _ in Locked(container.resolve(Pair.self)) }.map(\.current)
        #expect(pairs.allSatisfy { $0.parts[0] === $0.parts[1] })
        #expect(Tracker.count(pairs.map { $0.parts[0] }) == 8)
    }

    @Test func nothingIsRetainedAfterTheResolveCall() {
        container.register(Pair.self, lifetime: .transient) { try Pair([$0(), $0()]) }
        container.register(Int.self) { container in container.resolve(Pair.self).parts[0].number }
        for _ in 0..<10 {
            _ = container.resolve(Pair.self)
            _ = container.resolve(Tracked.self)
        }
        _ = container.resolve(Int.self)
        #expect(tracker.made == 21)
        #expect(tracker.live == 0)
    }

    @Test func failedResolveCallRetainsNothing() {
        container.register(Pair.self, lifetime: .transient) { container in
            _ = container.resolve(Tracked.self)
            throw Refusal.first
        }
        #expect(failure { () throws(DependencyError) in try container.require(Pair.self) }?.reason == .creationFailed)
        #expect(tracker.made == 1 && tracker.live == 0)
    }

    @Test func throwingFactoryIsRetriedInTheSameGraph() {
        let attempts = Locked(0)
        container.register(Int.self, lifetime: .graph) { _ in
            try attempts.withLock { attempts in
                attempts += 1
                if attempts == 1 { throw Refusal.first }
                return attempts
            }
        }
        container.register(String.self, lifetime: .transient) { container in
            let first = try? container.require(Int.self)
            return "\(first ?? 0) \(container.resolve(Int.self)) \(container.resolve(Int.self))"
        }
        #expect(container.resolve(String.self) == "0 2 2")
    }

    @Test func graphServiceThatResolvesItselfIsReported() {
        container.register(Int.self, lifetime: .graph) { container in try container.require(String.self).count }
        container.register(String.self, lifetime: .transient) { container in "\(try container.require(Int.self))" }
        let error = failure { () throws(DependencyError) in try container.require(Int.self) }
        #expect(error?.reason == .circular)
        #expect(error?.chain == ["Swift.Int", "Swift.String", "Swift.Int"])
    }

    @Test func deinitAtTheEndOfTheResolveCallMayResolve() {
        let seen = Locked<[Int]>([])
        container.register("text", for: String.self)
        container.register(Double.self, lifetime: .transient) { [tracker] container in
            container.register(Tracked.self, lifetime: .graph) { container in
                tracker.make { [unowned container] in
                    seen.withLock { $0.append(container.resolve(String.self).count) }
                }
            }
            _ = container.resolve(Tracked.self)
            return 1
        }
        #expect(container.resolve(Double.self) == 1)
        #expect(seen.current == [4])
    }

    @Test func graphOfATaskIsSharedAcrossItsSuspensions() async throws {
        container.register(Pair.self, lifetime: .transient) { container async throws in
            let first = try await container.asyncResolve(Tracked.self)
            await Task.yield()
            let second = try await container.asyncResolve(Tracked.self)
            async let third = container.asyncResolve(Tracked.self)
            return Pair([first, second, container.resolve(Tracked.self), try await third])
        }
        let first = try await container.asyncResolve(Pair.self)
        let second = try await container.asyncResolve(Pair.self)
        #expect(Tracker.count(first.parts) == 1)
        #expect(Tracker.count(second.parts) == 1)
        #expect(tracker.made == 2)
    }

    @Test func asynchronousGraphServiceThatResolvesItselfIsReported() async {
        container.register(Int.self, lifetime: .graph) { container async throws in
            try await container.asyncResolve(String.self).count
        }
        container.register(String.self, lifetime: .transient) { container async throws in
            "\(try await container.asyncResolve(Int.self))"
        }
        let error = await failure { () async throws(DependencyError) in try await container.asyncResolve(Int.self) }
        #expect(error?.reason == .circular)
        #expect(error?.chain == ["Swift.Int", "Swift.String", "Swift.Int"])
    }

    @Test func asynchronousGraphServiceIsSharedAndReleased() async throws {
        let container = DependencyContainer()
        container.register(Tracked.self, lifetime: .graph) { [tracker] _ async in
            await Task.yield()
            return tracker.make()
        }
        container.register(Int.self, lifetime: .transient) { container async throws in
            async let first = container.asyncResolve(Tracked.self)
            async let second = container.asyncResolve(Tracked.self)
            return try await first === second ? 1 : 2
        }
        #expect(try await container.asyncResolve(Int.self) == 1)
        #expect(tracker.made == 1)
        await expectGone(tracker)
    }
}

// Sound, because it is not changed after its initialization.
extension Pair: @unchecked Sendable {}
