/// The disposal hooks that threw while a container was shut down. All other hooks have run.
///
/// ```swift
/// do {
///     try await container.shutdown()
/// } catch {
///     for failure in error.failures { print(failure.service, failure.error) }
/// }
/// ```
///
/// The `shutdown(limit:)` of HopoateServer throws the same error. There it also has the hooks that did not finish in time, and a report.
///
/// - Note: Concurrency. Immutable and thread-safe.
public struct DependencyShutdownError: Error, Sendable, CustomStringConvertible {
    /// A disposal hook that threw.
    public struct Failure: Sendable {
        /// The type of the service that the hook had to dispose of.
        public let service: any Any.Type
        /// The error that the hook threw.
        public let error: any Error

        package init(_ service: any Any.Type, _ error: any Error) {
            self.service = service
            self.error = error
        }
    }

    /// The failures, in the order in which the instances were disposed of.
    public let failures: [Failure]

    /// What a shutdown with limits adds; nil after every other shutdown.
    package let limited: (any LimitedShutdownError)?

    package init(_ failures: [Failure], _ limited: (any LimitedShutdownError)? = nil) {
        self.failures = failures
        self.limited = limited
    }

    /// The errors of all hooks that threw, one per line. After a shutdown with limits, the hooks that did not finish come first.
    ///
    /// - Complexity: O(n) in the number of hooks.
    public var description: String {
        let failed = failures.map { "  '\(typeLabel($0.service))' threw: \($0.error)" }
        let heading = "\(countOfHooks(failed.count)) failed:"
        if let late = limited?.lines, !late.isEmpty {
            return (late + (failed.isEmpty ? [] : [heading]) + failed).joined(separator: "\n")
        }
        return (["Shutdown completed, but \(heading)"] + failed).joined(separator: "\n")
    }
}

/// The part of an error that only a shutdown with limits has.
package protocol LimitedShutdownError: Sendable {
    /// The hooks that did not finish, one per line, below a heading; empty if all have finished.
    var lines: [String] { get }
}

package func countOfHooks(_ count: Int) -> String { count == 1 ? "1 disposal hook" : "\(count) disposal hooks" }

extension [Disposal] {
    /// Runs the hooks of all instances in turn, and waits for the asynchronous ones.
    ///
    /// - Returns: The errors of the hooks.
    func finish(
        isolation: isolated (any Actor)?, before willDispose: (@Sendable (ServiceIdentity) async -> Void)?
    ) async -> [DependencyShutdownError.Failure] {
        var failures: [DependencyShutdownError.Failure] = []
        for disposal in self {
            await willDispose?(disposal.identity)
            for error in await disposal.finish(isolation: isolation) { failures.append(.init(disposal.service, error)) }
        }
        return failures
    }
}
