// Forks while other threads hold the locks of the process, one moment after the other: the child finds them free.

// Each test runs in a process of its own, because of its children. Exit tests: see DiagnosticsTests.
#if compiler(>=6.2) && (os(Linux) || os(macOS))
    import CTorture
    import Foundation
    import Hopoate
    import HopoateServer
    import Testing

    // One after the other: their threads never rest.
    @Suite(.serialized) struct ForkTests {
        private final class Part: Sendable {}

        @Test func childOfAForkMayMakeNames() async {
            await #expect(processExitsWith: .success) {
                expectNoHarm(whileThreads: { number in DependencyName("name \(number)").text == "name \(number)" })
            }
        }

        /// Completions take the locks of the groups and of the waits.
        @Test func childOfAForkMayRunCompletions() async {
            await #expect(processExitsWith: .success) {
                expectNoHarm { number in
                    let container = DependencyContainer()
                    container.register(Int.self) { _ in
                        number
                    } afterCreation: { _, _ in
                    }
                    return container.resolve(Int.self) == number
                }
            }
        }

        @Test func childOfAForkMayRegisterScopedServices() async {
            await #expect(processExitsWith: .success) {
                expectNoHarm { _ in
                    let container = DependencyContainer()
                    for _ in 0..<8 { container.register(Part.self, lifetime: .scoped) { _ in Part() } }
                    return container.canResolve(Part.self)
                }
            }
        }

        /// The state of the default container has the disposals and the free indices of scoped services.
        @Test func childOfAForkMayUseTheStateOfTheDefaultContainer() async {
            await #expect(processExitsWith: .success) {
                expectNoHarm { number in
                    let container = DependencyContainer.shared
                    let name: DependencyName = number < 0 ? "child" : number % 2 == 0 ? "even" : "odd"
                    let scoped = container.register(Part.self, named: name, lifetime: .scoped) { _ in Part() }
                    let token = container.register(Int.self, named: name) { _ in
                        number
                    } onDispose: { _ in
                    }
                    let found = container.resolve(Int.self, named: name)
                    container.remove(token)
                    container.remove(scoped)
                    return number >= 0 || found == number
                }
            }
        }

        /// Each creation asks for the recorders while a container of the process is warmed up.
        @Test func childOfAForkMayCreateServicesDuringAWarmUp() async {
            await #expect(processExitsWith: .success) {
                // While a container is watched, a registration takes another path. What this path needs of the run time has to exist
                // before the first fork, too: the run time creates a witness table under a lock.
                let watched = DependencyContainer()
                watched.recordCreations()
                watched.register(Int.self) { _ in 0 }
                #expect(watched.resolve(Int.self) == 0)
                let other = DependencyContainer()
                other.register(Int.self) { _ in 0 }
                #expect(other.resolve(Int.self) == 0)
                withExtendedLifetime(watched) {}
                expectNoHarm { number in
                    if number >= 0 {
                        let container = DependencyContainer()
                        container.register(Int.self) { _ in number }
                        let isOver = DispatchSemaphore(value: 0)
                        Task.detached {
                            _ = try await container.warmUp(limit: .seconds(60))
                            isOver.signal()
                        }
                        isOver.wait()
                        return true
                    }
                    let container = DependencyContainer()
                    container.register(Int.self) { _ in number }
                    return container.resolve(Int.self) == number
                }
            }
        }
    }

    /// Does some work on several threads all the time, and meanwhile once in each of many children. The number is negative in a child.
    private func expectNoHarm(whileThreads work: @escaping @Sendable (_ number: Int) -> Bool) {
        let isOver = Locked(false)
        let begun = DispatchSemaphore(value: 0)
        // What the child needs of the run time exists before the first fork, and no thread is creating it: the run time does not prepare
        // for forks.
        #expect(work(-1))
        // Under ThreadSanitizer, the run time takes a lock at each access to a static property. The child would find it taken for ever.
        let threads = (0..<(isThreadSanitized ? 0 : 2)).map { thread in
            RealThread {
                var number = thread
                while !isOver.withLock({ $0 }) {
                    if !work(number) { Issue.record("the work fails in the parent") }
                    if number == thread { begun.signal() }
                    number += 2
                }
            }
        }
        for _ in threads { begun.wait() }
        for round in 1...(isSanitized ? 20 : 200) {
            // Out of step with the threads.
            for _ in 0..<(round * 997 % 4096) { _ = isSanitized }
            let plan = Unmanaged.passRetained(Plan(work))
            let child = torture_child_run(
                { Unmanaged<Plan>.fromOpaque($0!).takeUnretainedValue().work(-1) ? 0 : 1 }, plan.toOpaque(), 120_000)
            plan.release()
            #expect(child.in_time, "the child of round \(round) hangs")
            #expect(child.signal == 0)
            #expect(child.status == 0 || !child.in_time)
            if !child.in_time { break }
        }
        isOver.withLock { $0 = true }
        for thread in threads { thread.join() }
    }

    private final class Plan {
        let work: @Sendable (Int) -> Bool
        init(_ work: @escaping @Sendable (Int) -> Bool) { self.work = work }
    }
#endif
