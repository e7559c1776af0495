import Foundation
import Hopoate
import HopoateTestingHelpers
import Testing

private protocol Clock: Sendable { var now: Int { get } }
private struct Fixed: Clock { var now = 7 }
private struct Unregistered {}
private final class Plain { var number = 0 }
private struct Failed: Error, Equatable {}

private enum Local {
    @TaskLocal static var text = ""
}

private actor Desk {
    func ask() -> Unregistered { resolve(Unregistered.self) }
}

/// More than the threads of the pool.
private let many = 3 * max(16, 2 * ProcessInfo.processInfo.activeProcessorCount)

/// Closures with failed resolve calls in `withIsolatedDependencies`. `.ci/failures` checks with Tests/Fixtures/FailingTests how a
/// test fails.
@Suite struct IsolatedDependenciesTests {
    @Test func closureHasAContainerOfItsOwn() async throws {
        let before = DependencyContainer.shared
        let answer = try await withIsolatedDependencies {
            #expect(DependencyContainer.shared !== before)
            DependencyContainer.shared.register(Fixed(), for: (any Clock).self)
            return resolve((any Clock).self).now
        }
        #expect(answer == 7)
        #expect(DependencyContainer.shared === before)
    }

    @Test func closureMayInheritTheSurroundingContainer() async throws {
        try await withIsolatedDependencies {
            DependencyContainer.shared.register(Fixed(), for: (any Clock).self)
            let isSeen = try await withIsolatedDependencies(.inheriting) { optionalResolve((any Clock).self) != nil }
            let isHidden = try await withIsolatedDependencies { optionalResolve((any Clock).self) == nil }
            #expect(isSeen && isHidden)
        }
    }

    @Test func missingServiceIsThrownAndNothingAfterItRuns() async {
        let isReached = Flag()
        let error = await #expect(throws: DependencyError.self) {
            try await withIsolatedDependencies {
                _ = resolve(Unregistered.self)
                isReached.raise()
            }
        }
        #expect(error?.reason == .notRegistered)
        #expect(error?.service == Unregistered.self)
        #expect(error?.description.contains("IsolatedDependenciesTests.swift") == true)
        #expect(!isReached.isRaised)
    }

    @Test func otherMisuseIsThrown() async {
        let error = await #expect(throws: DependencyError.self) {
            try await withIsolatedDependencies {
                DependencyContainer.shared.seal()
                DependencyContainer.shared.register(Fixed(), for: (any Clock).self)
            }
        }
        #expect(error?.reason == .sealed)
    }

    @Test func misuseInChildTasksAndActorsIsThrown() async {
        await #expect(throws: DependencyError.self) {
            try await withIsolatedDependencies { async let _ = resolve(Unregistered.self) }
        }
        await #expect(throws: DependencyError.self) {
            try await withIsolatedDependencies {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<4 { group.addTask { _ = resolve(Unregistered.self) } }
                }
            }
        }
        await #expect(throws: DependencyError.self) {
            try await withIsolatedDependencies { _ = await Desk().ask() }
        }
    }

    @Test func siblingsOfAFailureAreCancelled() async {
        let isCancelled = Flag()
        await #expect(throws: DependencyError.self) {
            try await withIsolatedDependencies {
                await withTaskGroup(of: Void.self) { group in
                    group.addTask {
                        try? await Task.sleep(nanoseconds: 3_600_000_000_000)
                        isCancelled.raise()
                    }
                    group.addTask { _ = resolve(Unregistered.self) }
                }
            }
        }
        await isCancelled.wait()
    }

    @Test func resultsAndErrorsOfTheClosureArePassedOn() async throws {
        let plain = Plain()
        let same = try await withIsolatedDependencies {
            plain.number += 1
            return plain
        }
        #expect(same === plain && plain.number == 1)
        await #expect(throws: Failed()) { try await withIsolatedDependencies { throw Failed() } }
    }

    @Test func closureHasTheTaskLocalsOfTheCaller() async throws {
        let test = Test.current
        try await Local.$text.withValue("bound") {
            try await withIsolatedDependencies {
                #expect(Local.text == "bound")
                #expect(Test.current == test)
                await Task.yield()
                #expect(Local.text == "bound")
            }
        }
    }

    @Test func closureIsCancelledWithTheCaller() async throws {
        let isRunning = Flag()
        let task = Task {
            try await withIsolatedDependencies {
                isRunning.raise()
                try await Task.sleep(nanoseconds: 3_600_000_000_000)
            }
        }
        await isRunning.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await withIsolatedDependencies { Task.isCancelled }
        }
        #expect(try await early.value)
    }

    @Test @MainActor func closureOfTheMainActorRunsThere() async throws {
        try await withIsolatedDependencies {
            MainActor.assertIsolated()
            await Task.yield()
            MainActor.assertIsolated()
        }
    }

    @Test func manyFailuresDoNotStarveOtherTasks() async throws {
        let failures = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<many {
                group.addTask {
                    do {
                        try await withIsolatedDependencies { _ = resolve(Unregistered.self) }
                        return false
                    } catch {
                        return error is DependencyError
                    }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(failures == many)
        #expect(try await withIsolatedDependencies { 7 } == 7)
    }

    @Test func waitersOfAFailedCreationGetTheError() async throws {
        // Whether a task is waiting when the creation fails depends on timing. The test repeats until one is.
        var error: DependencyError?
        for attempt in 1...20 where error == nil { error = try await errorOfATaskThatWaits(milliseconds: 20 * attempt) }
        #expect(error?.service == Unregistered.self)
    }

    /// Returns the error of a task that resolves a service whose creation fails after a while, or nil if the task came too late.
    private func errorOfATaskThatWaits(milliseconds: Int) async throws -> DependencyError? {
        let container = DependencyContainer()
        let isCreating = Flag()
        let isAsked = Flag()
        container.register(Fixed.self) { _ in
            if isCreating.isRaised { return Fixed() }
            isCreating.raise()
            // Blocks a thread of WorkerPool, which has enough of them.
            isAsked.block()
            _ = resolve(Unregistered.self)
            return Fixed()
        }
        let failing = Task { try await withIsolatedDependencies { _ = container.resolve(Fixed.self) } }
        await isCreating.wait()
        let waiting = Task { try await container.asyncResolve(Fixed.self) }
        try await Task.sleep(nanoseconds: UInt64(milliseconds) * 1_000_000)
        isAsked.raise()
        await #expect(throws: DependencyError.self) { try await failing.value }
        do {
            _ = try await waiting.value
            return nil
        } catch {
            return error as? DependencyError
        }
    }

    #if compiler(>=6.2)
        /// The factory runs in a task of its own, on the executor that the calling task prefers.
        @Test(arguments: [Lifetime.singleton, .transient])
        func misuseInAnAsynchronousFactoryIsThrown(lifetime: Lifetime) async throws {
            guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
            let container = DependencyContainer()
            container.register(Fixed.self, lifetime: lifetime) { _ async in
                await Task.yield()
                _ = resolve(Unregistered.self)
                return Fixed()
            }
            let waiting = Flag()
            let other = Task {
                await waiting.wait()
                return try await withIsolatedDependencies { try await container.asyncResolve(Fixed.self) }
            }
            let error = await #expect(throws: DependencyError.self) {
                try await withIsolatedDependencies {
                    waiting.raise()
                    _ = try await container.asyncResolve(Fixed.self)
                }
            }
            #expect(error?.service == Unregistered.self)
            await #expect(throws: DependencyError.self) { _ = try await other.value }
        }

        @Test func misuseOnAnotherThreadTraps() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                try await withIsolatedDependencies {
                    await Task.detached { _ = DependencyContainer().resolve(Unregistered.self) }.value
                }
            }
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(text.contains("Cannot resolve 'HopoateTestingHelpersTests."))
        }

        @Test func misuseOnTheMainActorTraps() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                try await withIsolatedDependencies { await MainActor.run { _ = resolve(Unregistered.self) } }
            }
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(text.contains("Cannot resolve 'HopoateTestingHelpersTests."))
        }
    #endif
}

/// A flag that can be waited for.
// Unchecked, because of the variable. Sound, because it is used under the lock of the condition only.
private final class Flag: @unchecked Sendable {
    private let condition = NSCondition()
    private var value = false

    func raise() {
        condition.lock()
        value = true
        condition.broadcast()
        condition.unlock()
    }

    var isRaised: Bool {
        condition.lock()
        defer { condition.unlock() }
        return value
    }

    /// Suspends until the flag is set.
    func wait() async {
        let deadline = Date() + patience
        while !isRaised, Date() < deadline { try? await Task.sleep(nanoseconds: 1_000_000) }
        #expect(isRaised, "still not so after \(patience) s")
    }

    /// Blocks until the flag is set.
    @available(*, noasync)
    func block() {
        let deadline = Date() + patience
        condition.lock()
        defer { condition.unlock() }
        while !value, condition.wait(until: deadline) {}
    }
}

/// The time limit of every wait in seconds: far more than any test takes, even on a busy machine.
private let patience: TimeInterval = 600
