import Dispatch
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Runs a closure on `count` threads at once, and returns when all of them have ended.
@available(*, noasync)
func runThreads(_ count: Int, _ body: @escaping @Sendable (_ index: Int) -> Void) {
    let start = Barrier(count)
    let threads = (0..<count).map { index in
        RealThread {
            start.arriveAndWait()
            body(index)
        }
    }
    for thread in threads { thread.join() }
}

/// Like the overload without `await`, but suspends.
func runThreads(_ count: Int, _ body: @escaping @Sendable (_ index: Int) -> Void) async {
    await onThread { runThreads(count, body) }
}

/// Runs a closure, which may block, on a thread of its own.
func onThread<Output>(_ body: @escaping @Sendable () -> Output) async -> Output {
    let output = Locked<Output?>(nil)
    await RealThread {
        let result = body()
        output.withLock { $0 = result }
    }.join()
    return output.take()!  // Set before the thread ended.
}

/// A thread of the system. `join` waits until nothing that the closure captured is alive. A detached thread is not waited for.
// Unchecked, because a handle may be a pointer. Sound, because any thread may join or detach another one.
struct RealThread: @unchecked Sendable {
    private final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private let handle: pthread_t

    init(_ body: @escaping @Sendable () -> Void) {
        let work = Unmanaged.passRetained(Work(body)).toOpaque()
        #if canImport(Darwin)
            var handle: pthread_t?
            let status = pthread_create(&handle, nil, { Self.run($0) }, work)
            self.handle = handle!  // Set if the status is zero, which is checked below.
        #else
            var handle = pthread_t()
            let status = pthread_create(&handle, nil, { Self.run($0!) }, work)
            self.handle = handle
        #endif
        precondition(status == 0, "no thread to be had")
    }

    @available(*, noasync)
    func join() {
        expectMayBlock()
        pthread_join(handle, nil)
    }

    /// Suspends until the thread has ended, which another thread waits for.
    func join() async {
        await withCheckedContinuation { continuation in
            RealThread {
                join()
                continuation.resume()
            }.detach()
        }
    }

    func detach() { pthread_detach(handle) }

    private static func run(_ work: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        // Balances the `passRetained` above.
        Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
        return nil
    }
}

/// Runs a closure on a thread with a stack of the given size in bytes.
@available(*, noasync)
func onThread<Output>(stackSize: Int, _ body: @escaping @Sendable () -> Output?) -> Output? {
    let result = Locked<Output?>(nil)
    let isOver = Signal()
    let thread = Thread {
        let output = body()
        result.withLock { $0 = output }
        isOver.raise()
    }
    thread.stackSize = stackSize
    thread.start()
    #expect(isOver.wait())
    return result.take()
}

/// A barrier that the given number of threads wait at.
final class Barrier: @unchecked Sendable {
    // Unchecked, because the number is a variable. Sound, because it is used under the lock of the condition only.
    private let condition = NSCondition()
    private var missing: Int

    init(_ count: Int) {
        missing = count
    }

    func arriveAndWait() {
        condition.lock()
        defer { condition.unlock() }
        missing -= 1
        if missing == 0 { condition.broadcast() }
        while missing > 0 { condition.wait() }
    }
}

/// The time limit of every wait in seconds, far more than any test takes. Tests share as many threads as there are processors, so
/// with a sanitizer and on a busy machine a task may wait a minute for a thread.
let patience = 600

/// An event that happens once. A wait ends after `patience`, so a test fails instead of hanging.
struct Signal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func raise() { semaphore.signal() }

    /// Whether it has happened.
    var isRaised: Bool { isRaised(before: .now()) }

    /// Blocks until it happens, and returns whether it happened in time.
    @available(*, noasync)
    func wait() -> Bool {
        expectMayBlock()
        return isRaised(before: .now() + .seconds(patience))
    }

    /// Suspends until it happens, and returns whether it happened in time.
    func wait() async -> Bool { await eventually { isRaised } }

    private func isRaised(before deadline: DispatchTime) -> Bool {
        guard semaphore.wait(timeout: deadline) == .success else { return false }
        semaphore.signal()
        return true
    }
}

/// The numbers of threads for each race.
let threadCounts = [1, 2, 4, 8, 16]

/// A replacement for `#expect` in the inner loops of races. `#expect` is so slow that the races would hardly occur.
@inline(__always)
func check(_ condition: Bool, file: String = #fileID, path: String = #filePath, line: Int = #line) {
    if condition { return }
    let location = SourceLocation(fileID: file, filePath: path, line: line, column: 1)
    Issue.record("a race was lost", sourceLocation: location)
}
