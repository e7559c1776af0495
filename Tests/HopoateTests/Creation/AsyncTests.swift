import Foundation
import Hopoate
import Testing

/// Services that are created asynchronously.
@Suite(.mayBlock) struct AsyncTests {
    let container = DependencyContainer()
    let tracker = Tracker()

    @Test(arguments: threadCounts)
    func tasksShareOneCreation(tasks: Int) async throws {
        for _ in 0..<rounds(100) {
            let tracker = Tracker()
            let container = DependencyContainer()
            container.register(Tracked.self) { _ async in
                await Task.yield()
                return tracker.make()
            }
            let services = try await withThrowingTaskGroup(of: Tracked.self) { group in
                for _ in 0..<tasks { group.addTask { try await container.asyncResolve(Tracked.self) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            check(services.count == tasks && Tracker.count(services) == 1 && tracker.made == 1)
            check(container.resolve(Tracked.self) === services[0])
        }
    }

    @Test func failureReachesAllWaitersAndIsNotCached() async throws {
        let attempts = Locked(0)
        let isOver = Signal()
        container.register(Tracked.self) { [tracker] _ async throws in
            let attempt = attempts.next()
            #expect(await isOver.wait())
            if attempt == 1 { throw Refusal.first }
            return tracker.make()
        }
        let tasks = (0..<8).map { [container] _ in
            Task {
                await failure { () async throws(DependencyError) in try await container.asyncResolve(Tracked.self) }
            }
        }
        #expect(await eventually { attempts.current > 0 })
        // Gives the waiters time to arrive.
        try await Task.sleep(nanoseconds: 20_000_000)
        isOver.raise()
        var failures = 0
        for task in tasks {
            guard let error = await task.value else { continue }
            #expect(error.reason == .creationFailed && error.underlying as? Refusal == .first)
            #expect(error.chain == ["HopoateTests.Tracked"])
            failures += 1
        }
        #expect(failures >= 1)
        _ = try await container.asyncResolve(Tracked.self)
        #expect(attempts.current == 2 && tracker.made == 1)
    }

    @Test func cancellingOneWaiterCancelsNoOther() async throws {
        let (isCreating, isOver) = (Signal(), Signal())
        container.register(Tracked.self) { [tracker] _ async in
            isCreating.raise()
            #expect(await isOver.wait())
            #expect(!Task.isCancelled)
            return tracker.make()
        }
        let container = container
        let first = Task { try await container.asyncResolve(Tracked.self) }
        #expect(await isCreating.wait())
        let second = Task { try await container.asyncResolve(Tracked.self) }
        first.cancel()
        let error = await failure { () async throws(DependencyError) in
            do { _ = try await first.value } catch { throw error as! DependencyError }  // The only type.
        }
        #expect(error?.reason == .cancelled)
        #expect(error?.service == Tracked.self)
        isOver.raise()
        let service = try await second.value
        #expect(service === container.resolve(Tracked.self))
        #expect(tracker.made == 1)
    }

    @Test func creationContinuesIfAllWaitersAreCancelled() async throws {
        let (isCreating, isOver) = (Signal(), Signal())
        container.register(Tracked.self, lifetime: .keyed) { [tracker] (_, number: Int) async in
            isCreating.raise()
            #expect(await isOver.wait())
            return tracker.make(number)
        }
        let container = container
        let first = Task { try await container.asyncResolve(Tracked.self, arguments: 1) }
        #expect(await isCreating.wait())
        first.cancel()
        #expect(await first.result.map { _ in }.isFailure)
        let second = Task { try await container.asyncResolve(Tracked.self, arguments: 1) }
        for _ in 0..<20 { await Task.yield() }
        isOver.raise()
        #expect(try await second.value.number == 1)
        #expect(container.resolve(Tracked.self, arguments: 1) === (try await second.value))
        #expect(tracker.made == 1)
    }

    @Test func failedKeyedCreationWithoutWaitersLeavesNothing() async throws {
        let (isCreating, isOver, isEnded) = (Signal(), Signal(), Signal())
        container.register(Int.self, lifetime: .keyed) { (_, key: Load) async throws in
            isCreating.raise()
            #expect(await isOver.wait())
            defer { isEnded.raise() }
            throw Refusal.first
        }
        let (container, tracker) = (container, tracker)
        let task = Task {
            _ = try await container.asyncResolve(Int.self, arguments: Load(service: tracker.make()))
        }
        #expect(await isCreating.wait())
        task.cancel()
        _ = await task.result
        isOver.raise()
        #expect(await isEnded.wait())
        await expectGone(tracker)
    }

    @Test func cancelledTaskThrowsAndTheCreationContinues() async throws {
        container.register(Tracked.self) { [tracker] _ async in
            await Task.yield()
            return tracker.make()
        }
        let container = container
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await failure { () async throws(DependencyError) in try await container.asyncResolve(Tracked.self) }
        }
        task.cancel()
        // If the instance already exists, the cancelled task gets it without waiting.
        #expect([nil, .cancelled].contains(await task.value?.reason))
        _ = try await container.asyncResolve(Tracked.self)
        #expect(tracker.made == 1)
    }

    @Test func synchronousResolveFailsBeforeTheCreationAndSucceedsAfterIt() async throws {
        container.register(Tracked.self) { [tracker] _ async in tracker.make() }
        for asked in [container, container.makeChild()] {
            let error = failure { () throws(DependencyError) in try asked.require(Tracked.self) }
            #expect(error?.reason == .onlyAsynchronous)
            #expect(error?.chain == ["HopoateTests.Tracked"])
            #expect(error?.description.contains("warmUp()") == true)
        }
        let container = container
        await #expect(trap { _ = container.resolve(Tracked.self) }?.reason == .onlyAsynchronous)
        let service = try await container.asyncResolve(Tracked.self)
        // Even in an asynchronous closure, this is the overload without `await`.
        #expect(container.resolve(Tracked.self) === service)
        #expect(container.withService(Tracked.self) { $0 } === service)
        #expect(tracker.made == 1)
    }

    @Test func synchronousResolvesDoNotDisturbAsynchronousOnes() async throws {
        for _ in 0..<rounds(300) {
            let container = DependencyContainer()
            container.register(Int.self) { _ async in 7 }
            async let found = withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        let error = failure { () throws(DependencyError) in try container.require(Int.self) }
                        check(error == nil || error?.reason == .onlyAsynchronous)
                        return try await container.asyncResolve(Int.self)
                    }
                }
                return try await group.reduce(0, +)
            }
            check(try await found == 28)
        }
    }

    @Test func cycleOfTasksIsReported() async throws {
        for _ in 0..<rounds(50) {
            let container = DependencyContainer()
            let names: [DependencyName] = ["a", "b", "c"]
            let count = Locked(0)
            for index in 0..<3 {
                container.register(Int.self, named: names[index]) { container async throws in
                    count.withLock { $0 += 1 }
                    #expect(await eventually { count.current >= 3 })
                    return try await container.asyncResolve(Int.self, named: names[(index + 1) % 3])
                }
            }
            let errors = await withTaskGroup(of: DependencyError?.self) { group in
                for name in names {
                    group.addTask {
                        await failure { () async throws(DependencyError) in
                            try await container.asyncResolve(Int.self, named: name)
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            for error in errors {
                check(error?.reason == .circular && error?.chain.count == 4)
                check(error.map { Set($0.chain).count } == 3)
            }
        }
    }

    @Test func cycleWithinOneTaskIsReportedWithItsChain() async {
        container.register(Int.self) { container async throws in try await container.asyncResolve(String.self).count }
        container.register(String.self, lifetime: .transient) { container async throws in
            "\(try await container.asyncResolve(Double.self))"
        }
        container.register(Double.self) { container in Double(try container.require(Int.self)) }
        let error = await failure { () async throws(DependencyError) in try await container.asyncResolve(Int.self) }
        #expect(error?.reason == .circular)
        #expect(error?.chain == ["Swift.Int", "Swift.String", "Swift.Double", "Swift.Int"])
    }

    @Test func nestedFailureIsReportedWithItsChain() async {
        container.register(Int.self) { container async throws in try await container.asyncResolve(String.self).count }
        container.register(String.self) { _ async throws in
            await Task.yield()
            throw Refusal.first
        }
        let error = await failure { () async throws(DependencyError) in try await container.asyncResolve(Int.self) }
        #expect(error?.chain == ["Swift.Int", "Swift.String"])
        #expect(error?.underlying as? Refusal == .first)
        container.register(Bool.self) { container async throws in try await container.asyncResolve(Double.self) > 1 }
        let missing = await failure { () async throws(DependencyError) in try await container.asyncResolve(Bool.self) }
        #expect(missing?.reason == .notRegistered)
        #expect(missing?.chain == ["Swift.Bool", "Swift.Double"])
    }

    @Test func allLifetimesCanBeCreatedAsynchronously() async throws {
        let scope = DependencyScope("test")
        let lifetimes: [(DependencyName, Lifetime)] = [
            ("transient", .transient), ("scoped", .scoped), ("graph", .graph), ("weak", .weak),
            ("singleton", .singleton), ("cached", .cached(in: scope)),
        ]
        for (name, lifetime) in lifetimes {
            container.register(Tracked.self, named: name, lifetime: lifetime) { [tracker] _ async in
                await Task.yield()
                return tracker.make()
            }
        }
        let child = container.makeChild()
        var shared: [String] = []
        for (name, _) in lifetimes {
            let first = try await container.asyncResolve(Tracked.self, named: name)
            if try await first === container.asyncResolve(Tracked.self, named: name) { shared.append(name.text) }
            if try await first === child.asyncResolve(Tracked.self, named: name) { shared.append("child's \(name)") }
        }
        #expect(
            shared == [
                "scoped", "weak", "child's weak", "singleton", "child's singleton", "cached", "child's cached",
            ])
        container.register(Tracked.self, lifetime: .keyed) { [tracker] (_, number: Int) async in tracker.make(number) }
        let one = try await container.asyncResolve(Tracked.self, arguments: 1)
        #expect(try await one === container.asyncResolve(Tracked.self, arguments: 1))
        #expect(try await container.asyncResolve(Tracked.self, arguments: 2).number == 2)
        container.register(String.self) { (_, number: Int, text: String) async throws in "\(number)\(text)" }
        #expect(try await container.asyncResolve(String.self, arguments: 1, "x") == "1x")
    }

    @Test func eagerAsynchronousFactoryIsRefused() {
        let container = container
        let error = trap { container.register(Int.self, lifetime: .eager) { _ async in 1 } }
        #expect(error?.reason == .invalid)
        #expect(error?.description.contains("warmUp()") == true)
    }

    @Test func asyncResolveFindsSynchronousServices() async throws {
        container.register("eager", for: String.self)
        container.register(Int.self) { _ in 7 }
        container.hopoate1.register(service: Double.self, cacheService: false) { 0.5 }
        let child = container.makeChild()
        #expect(try await child.asyncResolve(String.self) == "eager")
        #expect(try await child.asyncResolve() == 7)
        #expect(try await child.asyncResolve(Double.self) == 0.5)
        let error = await failure { () async throws(DependencyError) in
            try await child.asyncResolve(Tracked.self, fileID: "There.swift", line: 7)
        }
        #expect(error?.reason == .notRegistered)
        #expect(error?.description.contains("There.swift:7") == true)
    }

    @Test(arguments: [false, true]) func taskIsSuspendedWhileAThreadCreates(isScoped: Bool) async throws {
        let (isCreating, isOver) = (Signal(), Signal())
        container.register(Tracked.self, lifetime: isScoped ? .scoped : .singleton) { [tracker] _ in
            isCreating.raise()
            #expect(isOver.wait())
            return tracker.make()
        }
        let child = container.makeChild()
        let thread = RealThread { _ = child.resolve(Tracked.self) }
        #expect(await isCreating.wait())
        // More tasks than the pool has threads: if they blocked their threads, no task could raise the signal.
        let tasks = (0..<64).map { _ in Task { try await child.asyncResolve(Tracked.self) } }
        await Task { await Task.yield() }.value
        isOver.raise()
        var services: [Tracked] = []
        for task in tasks { services.append(try await task.value) }
        await thread.join()
        #expect(Tracker.count(services) == 1 && tracker.made == 1)
    }

    @Test func warmUpCreatesAllSingletonsAndNothingElse() async throws {
        container.register(Tracked.self) { [tracker] _ async in tracker.make() }
        container.register(Tracked.self) { [tracker] _ in tracker.make() }
        container.register(Tracked.self, named: "named") { [tracker] container async throws in
            #expect(try await container.asyncResolve(Tracked.self).isIntact)
            return tracker.make()
        }
        for lifetime in [Lifetime.transient, .weak, .graph, .scoped] {
            container.register(Tracked.self, named: "other", lifetime: lifetime) { [tracker] _ in tracker.make() }
        }
        container.register(Tracked.self, lifetime: .keyed) { [tracker] (_, number: Int) in tracker.make(number) }
        try await container.warmUp()
        #expect(tracker.made == 3)
        try await container.warmUp()
        #expect(tracker.made == 3)
        #expect(container.resolve(Tracked.self, named: "named").isIntact)
        container.register(Int.self) { _ async throws in throw Refusal.first }
        let error = await failure { () async throws(DependencyError) in try await container.warmUp() }
        #expect(error?.underlying as? Refusal == .first)
    }

    @Test func taskThatOutlivesItsCreationMayResolve() async throws {
        let found = Locked(0)
        let isOver = Signal()
        container.register(Tracked.self) { [tracker] container async in
            Task {
                #expect(await isOver.wait())
                found.withLock { $0 = container.resolve(Tracked.self).number }
                isOver.raise()
            }
            return tracker.make(7)
        }
        _ = try await container.asyncResolve(Tracked.self)
        isOver.raise()
        #expect(await eventually { found.current > 0 })
        #expect(found.current == 7)
    }

    @Test func nothingOutlivesTheContainer() async throws {
        do {
            let container = DependencyContainer()
            let context = tracker.make()
            container.register(Tracked.self) { [tracker] _ async in
                await Task.yield()
                return tracker.make(context.number)
            }
            container.register(Int.self) { container async throws in
                try await container.asyncResolve(Tracked.self).number
            }
            _ = try await container.makeChild().asyncResolve(Int.self)
        }
        await expectGone(tracker)
    }
}

private struct Load: Hashable, Sendable {
    let service: Tracked
    static func == (left: Load, right: Load) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}

extension Result {
    fileprivate var isFailure: Bool { if case .failure = self { true } else { false } }
}
