import Hopoate
import Testing

/// `withResolved`: use an instance and release it.
@Suite(.mayBlock) struct WithResolvedTests {
    let container = DependencyContainer()
    let tracker = Tracker()

    init() {
        container.register(Tracked.self, lifetime: .transient) { [tracker] _ in tracker.make(7) }
    }

    @Test func serviceIsReleasedAfterTheClosure() {
        for _ in 0..<3 {
            #expect(container.withResolved(Tracked.self) { $0.number + tracker.live } == 8)
            #expect(tracker.live == 0)
        }
        #expect(tracker.made == 3)
    }

    @Test func serviceIsReleasedIfTheClosureThrows() {
        #expect(throws: Refusal.second) {
            try container.withResolved(Tracked.self) { _ throws(Refusal) in throw .second }
        }
        #expect(tracker.made == 1 && tracker.live == 0)
    }

    @Test func nestedCallsHaveSeparateInstances() {
        container.withResolved(Tracked.self) { outer in
            container.withResolved(Tracked.self) { inner in
                #expect(outer !== inner && tracker.live == 2)
            }
            #expect(tracker.live == 1)
        }
        #expect(tracker.live == 0)
    }

    @Test func closureMaySuspend() async throws {
        container.register(Tracked.self, named: "async", lifetime: .transient) { [tracker] _ async in tracker.make(8) }
        let (container, tracker) = (container, tracker)
        let number = try await container.withAsyncResolved(Tracked.self, named: "async") { service in
            await Task.yield()
            return service.number + tracker.live
        }
        #expect(number == 9 && tracker.live == 0)
        await #expect(throws: Refusal.first) {
            try await container.withAsyncResolved(Tracked.self) { _ in
                await Task.yield()
                throw Refusal.first
            }
        }
        #expect(tracker.live == 0)
        await #expect(throws: DependencyError.self) {
            try await container.withAsyncResolved(Tracked.self, named: "missing") { _ in await Task.yield() }
        }
    }

    @Test func closureThatDoesNotSuspendGetsAServiceOfAnAsynchronousFactory() async throws {
        container.register(Tracked.self, named: "async", lifetime: .transient) { [tracker] _ async in tracker.make(8) }
        let number = try await container.withAsyncResolved(Tracked.self, named: "async") { $0.number }
        #expect(number == 8 && tracker.live == 0)
    }

    @Test func sharedServiceStays() {
        container.register(Tracked.self, named: "shared") { [tracker] _ in tracker.make() }
        container.withResolved(Tracked.self, named: "shared") { _ in }
        #expect(tracker.live == 1)
    }

    @Test func missingServiceNamesTheCallSite() {
        let container = container
        let error = trap { container.withResolved(String.self, fileID: "There.swift", line: 7) { _ in } }
        #expect(error?.reason == .notRegistered && error?.description.contains("There.swift:7") == true)
    }
}
