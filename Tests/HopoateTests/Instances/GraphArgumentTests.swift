import Hopoate
import Testing

/// `Lifetime.graph` with arguments: one instance per value and outermost resolve call.
@Suite(.mayBlock) struct GraphArgumentTests {
    private struct Leaf { let part: Tracked }

    let container = DependencyContainer()
    let tracker = Tracker()

    init() {
        container.register(Tracked.self, lifetime: .graph) { [tracker] (_, number: Int) in tracker.make(number) }
    }

    @Test func instanceIsSharedPerValueThroughIntermediateServices() {
        container.register(Leaf.self, lifetime: .transient) { Leaf(part: $0.resolve(Tracked.self, arguments: 1)) }
        container.register(Leaf.self, named: "scoped", lifetime: .scoped) {
            Leaf(part: $0.resolve(Tracked.self, arguments: 1))
        }
        container.register([Tracked].self, lifetime: .transient) { container in
            [
                try container(Leaf.self).part, try container(Leaf.self, named: "scoped").part,
                container.resolve(Tracked.self, arguments: 1),
                container.resolve(Tracked.self, arguments: 2),
                container.makeChild().resolve(Tracked.self, arguments: 1),
            ]
        }
        let parts = container.makeChild().resolve([Tracked].self)
        #expect(parts.map(\.number) == [1, 1, 1, 2, 1])
        #expect(Tracker.count(Array(parts.dropLast())) == 2)
        // Another container.
        #expect(Tracker.count(parts) == 3)
    }

    @Test func outermostCallsHaveInstancesOfTheirOwn() {
        container.register([Tracked].self, lifetime: .transient) { container in
            [1, 2, 1].map { container.resolve(Tracked.self, arguments: $0) }
        }
        let graphs = race(8) { [container] _ in Locked(container.resolve([Tracked].self)) }.map(\.current)
        #expect(graphs.allSatisfy { Tracker.count($0) == 2 })
        #expect(Tracker.count(graphs.flatMap { $0 }) == 16)
        #expect(container.resolve(Tracked.self, arguments: 1) !== container.resolve(Tracked.self, arguments: 1))
    }

    @Test func nothingIsKeptAfterTheOutermostCall() {
        let arguments = Tracker()
        container.register(Tracked.self, lifetime: .graph) { [tracker] (_, key: CountedArgument) in
            tracker.make(key.number)
        }
        container.register(Int.self, lifetime: .transient) { container in
            for number in 0..<20 {
                _ = container.resolve(Tracked.self, arguments: CountedArgument(number % 10, arguments))
            }
            #expect(arguments.live == 10)
            return 1
        }
        for _ in 0..<3 { _ = container.resolve(Int.self) }
        #expect(tracker.made == 30 && tracker.live == 0 && arguments.live == 0)
    }

    @Test func failedValueIsTriedAgainInTheSameGraph() {
        let attempts = Locked(0)
        container.register(Int.self, lifetime: .graph) { (_, text: String) in
            try attempts.withLock { attempts in
                attempts += 1
                if attempts == 1 { throw Refusal.first }
                return attempts
            }
        }
        container.register(String.self, lifetime: .transient) { container in
            let first = try? container.require(Int.self, arguments: "a")
            let others = ["a", "a", "b"].map { container.resolve(Int.self, arguments: $0) }
            return "\(first ?? 0) \(others)"
        }
        #expect(container.resolve(String.self) == "0 [2, 2, 3]")
    }

    @Test func tasksOfOneGraphMeetInOneInstancePerValue() async throws {
        container.register(Set<ObjectIdentifier>.self, lifetime: .transient) { container async throws in
            try await withThrowingTaskGroup(of: Tracked.self) { group in
                for number in 0..<20 {
                    group.addTask { try await container.asyncResolve(Tracked.self, arguments: number % 2) }
                }
                var services: [Tracked] = []
                for try await service in group { services.append(service) }
                return Set(services.map(ObjectIdentifier.init))
            }
        }
        for round in 1...rounds(50) {
            #expect(try await container.asyncResolve(Set<ObjectIdentifier>.self).count == 2)
            #expect(tracker.made == 2 * round)
        }
        await expectGone(tracker)
    }
}
