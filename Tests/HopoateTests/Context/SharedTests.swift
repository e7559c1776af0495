import CTorture
import Foundation
import Hopoate
import Testing

/// `DependencyContainer.shared` and its override.
@Suite(.mayBlock) struct SharedTests {
    private struct Unique {}

    private var bound: DependencyContainer { DependencyContainer.shared }

    @Test func defaultContainerIsSharedWhileNothingIsBound() async {
        let shared = DependencyContainer.shared
        #expect(DependencyContainer.shared === shared)
        #expect(DependencyContainer.$shared.get() === shared)
        let isSharedElsewhere = await Task.detached { DependencyContainer.shared === shared }.value
        #expect(isSharedElsewhere)
        // Free functions use `shared`.
        let token = shared.register(Unique(), for: Unique.self)
        #expect(optionalResolve(Unique.self) != nil)
        shared.remove(token)
        #expect(optionalResolve(Unique.self) == nil)
    }

    @Test func bindingEndsWithTheClosure() {
        let before = DependencyContainer.shared
        let container = DependencyContainer()
        DependencyContainer.$shared.withValue(container) { #expect(bound === container) }
        #expect(bound === before)
    }

    @Test func nestedBindingsRestoreTheOuterOne() async {
        let before = DependencyContainer.shared
        let outer = DependencyContainer()
        let inner = DependencyContainer()
        await DependencyContainer.$shared.withValue(outer) {
            DependencyContainer.$shared.withValue(inner) { #expect(bound === inner) }
            #expect(bound === outer)
            await DependencyContainer.$shared.withValue(inner) {
                await Task.yield()
                #expect(bound === inner)
                DependencyContainer.$shared.withValue(before) { #expect(bound === before) }
                #expect(bound === inner)
            }
            #expect(bound === outer)
        }
        #expect(bound === before)
    }

    @Test func throwingClosureRestoresTheOuterBinding() async {
        let before = DependencyContainer.shared
        let outer = DependencyContainer()
        await DependencyContainer.$shared.withValue(outer) {
            #expect(throws: Refusal.first) {
                try DependencyContainer.$shared.withValue(DependencyContainer()) { throw Refusal.first }
            }
            #expect(bound === outer)
            await #expect(throws: Refusal.second) {
                try await DependencyContainer.$shared.withValue(DependencyContainer()) {
                    await Task.yield()
                    throw Refusal.second
                }
            }
            #expect(bound === outer)
        }
        #expect(bound === before)
    }

    @Test func bindingReachesTheTasksThatAreStartedInIt() async {
        let container = DependencyContainer()
        await DependencyContainer.$shared.withValue(container) {
            async let child = DependencyContainer.shared === container
            #expect(await child)
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 { group.addTask { DependencyContainer.shared === container } }
                for await isSame in group { #expect(isSame) }
            }
            let isBoundInTask = await Task { DependencyContainer.shared === container }.value
            #expect(isBoundInTask)
            let isBoundInItsTask = await Task { await Task { DependencyContainer.shared === container }.value }.value
            #expect(isBoundInItsTask)
        }
    }

    @Test func taskKeepsTheBindingThatItWasStartedIn() async {
        let container = DependencyContainer()
        let release = AsyncStream<Void>.makeStream()
        let task = DependencyContainer.$shared.withValue(container) {
            Task {
                for await _ in release.stream {}
                return DependencyContainer.shared === container
            }
        }
        #expect(bound !== container)
        release.continuation.finish()
        #expect(await task.value)
    }

    @Test func bindingDoesNotReachDetachedTasksAndThreads() async {
        let before = DependencyContainer.shared
        let container = DependencyContainer()
        await DependencyContainer.$shared.withValue(container) {
            let isDefault = await Task.detached { DependencyContainer.shared === before }.value
            #expect(isDefault)
            // The detached task can bind it again.
            let isBound = await Task.detached {
                DependencyContainer.$shared.withValue(container) { DependencyContainer.shared === container }
            }.value
            #expect(isBound)
        }
        DependencyContainer.$shared.withValue(container) {
            runThreads(2) { _ in #expect(DependencyContainer.shared === before) }
        }
    }

    @Test func parallelTasksDoNotSeeEachOther() async {
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<32 {
                group.addTask {
                    let container = DependencyContainer()
                    await DependencyContainer.$shared.withValue(container) {
                        DependencyContainer.shared.register(number, for: Int.self)
                        for _ in 0..<10 {
                            await Task.yield()
                            #expect(resolve(Int.self) == number)
                            #expect(withService(Int.self) { $0 } == number)
                            #expect(DependencyContainer.shared.resolveAll(Int.self) == [number])
                        }
                    }
                }
            }
        }
    }

    @Test func parallelThreadsDoNotSeeEachOther() {
        runThreads(8) { index in
            let container = DependencyContainer()
            for _ in 0..<rounds(1000) {
                DependencyContainer.$shared.withValue(container) {
                    DependencyContainer.shared.register(index, for: Int.self, replacing: true)
                    #expect(resolve(Int.self) == index)
                }
            }
            #expect(DependencyContainer.shared !== container)
        }
    }

    @Test func boundContainerIsReleasedWithTheBinding() async {
        let tracker = Tracker()
        await DependencyContainer.$shared.withValue(DependencyContainer()) {
            DependencyContainer.shared.register(tracker.make(), for: Tracked.self)
            await Task.yield()
            #expect(tracker.live == 1)
        }
        await expectGone(tracker)
    }
}

#if compiler(>=6.2)
    /// Processes in which `shared` was never overridden, as in most applications.
    @Suite(.mayBlock) struct UnboundSharedTests {
        @Test func freeFunctionsUseTheDefaultContainerBeforeAnythingWasBound() async {
            await #expect(processExitsWith: .success) {
                let tracker = Tracker()
                let shared = DependencyContainer.shared
                let token = Locked<ServiceRegistration<Tracked>?>(nil)
                #expect(optionalResolve(Tracked.self) == nil)
                token.withLock { $0 = shared.register(tracker.make(1), for: Tracked.self) }
                #expect(resolve(Tracked.self).number == 1)
                #expect(optionalResolve(Tracked.self)?.number == 1)
                #expect(withService(Tracked.self) { $0.number } == 1)
                #expect(throws: Refusal.first) { try withService(Tracked.self) { _ in throw Refusal.first } }
                withService(Tracked.self) { service in
                    token.take().map(shared.remove)
                    #expect(service.isIntact)
                }
                #expect(tracker.live == 0)
            }
        }

        @Test func bindingWorksInAProcessThatUsedTheDefaultContainerBefore() async {
            await #expect(processExitsWith: .success) {
                DependencyContainer.shared.register("default", for: String.self)
                #expect(resolve(String.self) == "default")
                let container = DependencyContainer()
                container.register("bound", for: String.self)
                let wrapper = Dependency<String>()
                await DependencyContainer.$shared.withValue(container) {
                    #expect(resolve(String.self) == "bound")
                    #expect(withService(String.self) { $0 } == "bound")
                    let elsewhere = await Task.detached { resolve(String.self) }.value
                    #expect(elsewhere == "default")
                    #expect(wrapper.wrappedValue == "default")
                }
                #expect(resolve(String.self) == "default")
                DependencyContainer.shared.removeAll()
                #expect(optionalResolve(String.self) == nil)
            }
        }

        @Test func bindingsLeaveNoOverrideBehind() async {
            await #expect(processExitsWith: .success) {
                let shared = DependencyContainer.shared
                let container = DependencyContainer()
                DependencyContainer.$shared.withValue(container) {
                    DependencyContainer.$shared.withValue(DependencyContainer()) {
                        #expect(torture_shared_overrides() > 0)
                    }
                    #expect(torture_shared_overrides() > 0)
                }
                #expect(torture_shared_overrides() == 0)
                #expect(throws: Refusal.first) {
                    try DependencyContainer.$shared.withValue(container) { throw Refusal.first }
                }
                #expect(torture_shared_overrides() == 0)
                await DependencyContainer.$shared.withValue(container) {
                    await Task.yield()
                    #expect(torture_shared_overrides() > 0)
                }
                #expect(torture_shared_overrides() == 0)
                #expect(DependencyContainer.shared === shared)
            }
        }

        @Test func overrideLastsAsLongAsATaskSeesIt() async {
            await #expect(processExitsWith: .success) {
                let container = DependencyContainer()
                let goOn = AsyncSignal()
                let task = DependencyContainer.$shared.withValue(container) {
                    Task {
                        await goOn.wait()
                        return DependencyContainer.shared === container
                    }
                }
                #expect(torture_shared_overrides() > 0)
                #expect(DependencyContainer.shared !== container)
                goOn.raise()
                #expect(await task.value)
                #expect(await eventually { torture_shared_overrides() == 0 })
            }
        }

        @Test func factoriesOfOtherContainersLeaveNoOverrideBehind() async {
            await #expect(processExitsWith: .success) {
                let container = DependencyContainer()
                container.register(Int.self) { _ in 1 }
                container.register(String.self) { _ async in "one" }
                container.register([Int].self, lifetime: .keyed) { (_, number: Int) in [number] }
                #expect(container.resolve(Int.self) == 1)
                #expect(container.resolve([Int].self, arguments: 2) == [2])
                #expect(torture_shared_overrides() == 0)
                let text = try? await container.asyncResolve(String.self)
                #expect(text == "one")
                #expect(await eventually { torture_shared_overrides() == 0 })
            }
        }

        @Test func codeUnderABindingNeverSeesTheDefaultContainer() async {
            await #expect(processExitsWith: .success) { UnboundSharedTests.raceBindings() }
        }

        private static func raceBindings() {
            let shared = DependencyContainer.shared
            shared.register(-1, for: Int.self)
            runThreads(4) { index in
                let container = DependencyContainer()
                container.register(index, for: Int.self)
                for _ in 0..<rounds(5000) {
                    DependencyContainer.$shared.withValue(container) {
                        check(DependencyContainer.shared === container)
                        check(resolve(Int.self) == index)
                    }
                    check(DependencyContainer.shared === shared)
                    check(resolve(Int.self) == -1)
                }
            }
            #expect(torture_shared_overrides() == 0)
        }
    }
#endif
