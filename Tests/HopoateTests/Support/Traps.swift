import Foundation
import Hopoate
import Testing

#if compiler(>=6.2)
    /// Checks that the standard error of a process contains all of the given texts.
    func expectSaid(
        _ result: ExitTest.Result?, _ expected: [String], butNot unexpected: [String] = [],
        _ location: SourceLocation = #_sourceLocation
    ) {
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        for part in expected {
            #expect(text.contains(part), "'\(part)' is missing in: \(text)", sourceLocation: location)
        }
        for part in unexpected {
            #expect(!text.contains(part), "'\(part)' should not be in: \(text)", sourceLocation: location)
        }
    }
#endif

/// Returns the error with which a closure traps, or nil if it returns.
///
/// The closure runs on a thread of its own. The thread is parked forever instead of trapping, so a trap costs a thread and not a
/// process.
@available(*, noasync)
func trap(_ body: @escaping () -> Void) -> DependencyError? {
    // Sound, because only that thread runs it.
    nonisolated(unsafe) let body = body
    let error = Locked<DependencyError?>(nil)
    let isOver = Signal()
    let thread = RealThread {
        DependencyContainer.withFailureHandler {
            error.withLock { [failure = $0] in $0 = failure }
            isOver.raise()
            while true { Thread.sleep(forTimeInterval: 3600) }
        } operation: {
            body()
        }
        isOver.raise()
    }
    #expect(isOver.wait(), "neither a trap nor a return")
    if let error = error.current { return error }
    thread.join()
    return nil
}

/// Like the overload without `await`, but suspends.
func trap(_ body: @escaping @Sendable () -> Void) async -> DependencyError? {
    await onThread { trap { body() } }
}

/// The error that a closure throws, or nil if it returns.
func failure<Output>(_ body: () throws(DependencyError) -> Output) -> DependencyError? {
    do throws(DependencyError) {
        _ = try body()
        return nil
    } catch {
        return error
    }
}

/// The error that a closure throws, or nil if it returns.
func failure<Output: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws(DependencyError) -> Output
) async -> DependencyError? {
    do throws(DependencyError) {
        _ = try await body()
        return nil
    } catch {
        return error
    }
}

extension Tracker {
    /// The number of different instances.
    static func count(_ services: [Tracked]) -> Int { Set(services.map(ObjectIdentifier.init)).count }
}

/// Calls a closure on `threads` threads at once, and returns the results.
@available(*, noasync)
func race<Output>(_ threads: Int, _ ask: @escaping @Sendable (_ index: Int) -> Output) -> [Output] {
    let outputs = Locked<[Output]>([])
    runThreads(threads) { index in
        let output = ask(index)
        outputs.withLock { $0.append(output) }
    }
    return outputs.current
}

/// Like the overload without `await`, but suspends.
func race<Output: Sendable>(_ threads: Int, _ ask: @escaping @Sendable (_ index: Int) -> Output) async -> [Output] {
    await onThread { race(threads, ask) }
}

/// The identity of a container.
func identity(of container: DependencyContainer) -> ObjectIdentifier { ObjectIdentifier(container) }
