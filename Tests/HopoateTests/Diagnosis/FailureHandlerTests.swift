import Foundation
import Hopoate
import Testing

private struct Missing {}
private final class Inner: Sendable {}
private final class Outer: Sendable {
    let inner: Inner
    init(_ inner: Inner) { self.inner = inner }
}

/// Failure handlers that do not return. The thread that failed is parked forever.
@Suite(.mayBlock) struct FailureHandlerTests {
    let container = DependencyContainer()

    /// Runs a closure on a thread that is parked if the closure fails.
    ///
    /// - Returns: The error, or nil if nothing failed.
    private func failure(_ body: @escaping @Sendable () -> Void) async -> DependencyError? {
        // Under a lock, because ThreadSanitizer does not see that the thread resumes the task.
        let failure = Locked<DependencyError?>(nil)
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                DependencyContainer.withFailureHandler { error in
                    failure.withLock { $0 = error }
                    continuation.resume()
                    while true { Thread.sleep(forTimeInterval: 3600) }
                } operation: {
                    body()
                }
                continuation.resume()
            }
        }
        return failure.current
    }

    @Test func handlerGetsTheErrorAndTheProcessContinues() async {
        let container = container
        let error = await failure { _ = container.resolve(Missing.self) }
        #expect(error?.reason == .notRegistered)
        #expect(await failure {} == nil)
    }

    @Test func abandonedCreationDoesNotBlockTheNextOne() async throws {
        let container = container
        let isFirst = Locked(true)
        container.register(Inner.self) { container in
            let fails = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if fails { _ = container.resolve(Missing.self) }
            return Inner()
        }
        container.register(Outer.self) { container in try Outer(container()) }
        let error = await failure { _ = container.resolve(Outer.self) }
        #expect(error?.chain.count == 3)
        // Two creations were in flight when the thread was parked. Neither of them blocks the next creation.
        let inner = try container.require(Inner.self)
        #expect(try container.require(Outer.self).inner === inner)
    }

    @Test func waitingThreadsGetTheError() async {
        // Whether a thread is waiting when the creation fails depends on timing. The test repeats until one is.
        var error: DependencyError?
        for attempt in 1...20 where error == nil { error = await errorOfAThreadThatWaits(milliseconds: 20 * attempt) }
        #expect(error?.reason == .notRegistered)
        #expect(error?.service == Missing.self)
    }

    /// Returns the error of a thread that resolves a service whose creation fails after a while, or nil if the thread came too
    /// late.
    private func errorOfAThreadThatWaits(milliseconds: Int) async -> DependencyError? {
        let container = DependencyContainer()
        let isFirst = Locked(true)
        let entered = Signal()
        let goOn = Signal()
        container.register(Inner.self) { container in
            let fails = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if fails {
                entered.raise()
                _ = goOn.wait()
                _ = container.resolve(Missing.self)
            }
            return Inner()
        }
        async let failed = failure { _ = container.resolve(Inner.self) }
        #expect(await entered.wait())
        async let waiting = onThread {
            HopoateTests.failure { () throws(DependencyError) in try container.require(Inner.self) }
        }
        try? await Task.sleep(nanoseconds: UInt64(milliseconds) * 1_000_000)
        goOn.raise()
        #expect(await failed?.service == Missing.self)
        return await waiting
    }
}
