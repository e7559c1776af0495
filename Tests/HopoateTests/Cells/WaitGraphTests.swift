import Foundation
import Hopoate
import Testing

/// Waits that would never end are refused, and all others are allowed.
@Suite(.mayBlock) struct WaitGraphTests {
    let container = DependencyContainer()

    /// Suspends until the expected number of tasks has arrived.
    private static func meet(_ count: Locked<Int>, _ expected: Int) async {
        count.withLock { $0 += 1 }
        #expect(await eventually { count.current >= expected })
    }

    @Test func branchesOfOneCreationMayWaitForEachOther() async throws {
        for _ in 0..<rounds(100) {
            let container = DependencyContainer()
            // a depends on b and c concurrently. b and c depend on d, and b depends on c, too.
            container.register(Int.self, named: "a") { container async throws in
                async let b = container.asyncResolve(Int.self, named: "b")
                async let c = container.asyncResolve(Int.self, named: "c")
                return try await b + c
            }
            container.register(Int.self, named: "b") { container async throws in
                let c = try await container.asyncResolve(Int.self, named: "c")
                return try await container.asyncResolve(Int.self, named: "d") + c
            }
            container.register(Int.self, named: "c") { container async throws in
                await Task.yield()
                return try await container.asyncResolve(Int.self, named: "d")
            }
            container.register(Int.self, named: "d") { _ async in
                await Task.yield()
                return 1
            }
            check(try await container.asyncResolve(Int.self, named: "a") == 3)
        }
    }

    @Test func branchesThatWaitForEachOtherInACycleAreReported() async {
        for _ in 0..<rounds(50) {
            let container = DependencyContainer()
            let count = Locked(0)
            container.register(Int.self, named: "a") { container async throws in
                async let b = container.asyncResolve(Int.self, named: "b")
                async let c = container.asyncResolve(Int.self, named: "c")
                return try await b + c
            }
            container.register(Int.self, named: "b") { container async throws in
                await Self.meet(count, 2)
                return try await container.asyncResolve(Int.self, named: "c")
            }
            container.register(Int.self, named: "c") { container async throws in
                await Self.meet(count, 2)
                return try await container.asyncResolve(Int.self, named: "b")
            }
            let error = await failure { () async throws(DependencyError) in
                try await container.asyncResolve(Int.self, named: "a")
            }
            check(error?.reason == .circular && error?.chain.count == 3)
            check(error?.chain.contains("Swift.Int named \"a\"") == false)
        }
    }

    @Test func branchThatWaitsForItsParentCreationIsReported() async {
        let count = Locked(0)
        container.register(Int.self, named: "trunk") { container async throws in
            async let branch = container.asyncResolve(Int.self, named: "branch")
            return try await branch
        }
        container.register(Int.self, named: "branch") { container async throws in
            await Self.meet(count, 2)
            return try await container.asyncResolve(Int.self, named: "other")
        }
        container.register(Int.self, named: "other") { container async throws in
            await Self.meet(count, 2)
            return try await container.asyncResolve(Int.self, named: "trunk")
        }
        let container = container
        async let other = failure { () async throws(DependencyError) in
            try await container.asyncResolve(Int.self, named: "other")
        }
        let trunk = await failure { () async throws(DependencyError) in
            try await container.asyncResolve(Int.self, named: "trunk")
        }
        for error in [trunk, await other] {
            #expect(error?.reason == .circular)
            #expect(error?.chain.count == 4 && error?.chain.first == error?.chain.last)
            #expect(error.map { Set($0.chain).count } == 3)
        }
    }

    @Test func cycleOfAThreadAndATaskIsReported() async {
        for _ in 0..<rounds(50) {
            let container = DependencyContainer()
            let (threadIsThere, taskIsThere) = (Signal(), Signal())
            container.register(Int.self, named: "thread") { container in
                threadIsThere.raise()
                check(taskIsThere.wait())
                return try container.require(Int.self, named: "task")
            }
            container.register(Int.self, named: "task", lifetime: .graph) { container in
                try container.require(Int.self, named: "shared")
            }
            container.register(Int.self, named: "shared") { container in
                taskIsThere.raise()
                check(threadIsThere.wait())
                return try container.require(Int.self, named: "thread")
            }
            let ofThread = Locked<DependencyError?>(nil)
            let thread = RealThread {
                let error = failure { () throws(DependencyError) in try container.require(Int.self, named: "thread") }
                ofThread.withLock { $0 = error }
            }
            let ofTask = await failure { () async throws(DependencyError) in
                try await container.asyncResolve(Int.self, named: "shared")
            }
            await thread.join()
            check(ofTask?.reason == .circular && ofThread.current?.reason == .circular)
        }
    }

    @Test(arguments: [4, 8])
    func longChainOfWaitersIsServed(threads: Int) {
        for _ in 0..<rounds(100) {
            let container = DependencyContainer()
            let names = (0..<threads).map { DependencyName("\($0)") }
            for index in 0..<threads {
                container.register(Int.self, named: names[index]) { container in
                    // Slow enough for other threads to wait.
                    Thread.sleep(forTimeInterval: 0.0001)
                    return index == 0 ? 1 : container.resolve(Int.self, named: names[index - 1]) + 1
                }
            }
            let found = race(threads) { container.resolve(Int.self, named: names[$0]) }
            check(found.sorted() == Array(1...threads))
        }
    }

    @Test func cycleLeavesNothingBehind() {
        let isOpen = Locked(false)
        container.register(Int.self, named: "a") { container in
            isOpen.current ? 1 : try container.require(Int.self, named: "b")
        }
        container.register(Int.self, named: "b") { container in try container.require(Int.self, named: "a") }
        for _ in 0..<3 {
            let error = failure { () throws(DependencyError) in try container.require(Int.self, named: "b") }
            #expect(error?.reason == .circular)
        }
        isOpen.withLock { $0 = true }
        #expect(container.resolve(Int.self, named: "b") == 1)
    }
}
