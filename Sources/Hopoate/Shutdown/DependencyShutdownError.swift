/// The disposal hooks that threw, and those that did not finish in time, while a container was shut down. All other hooks have run.
///
/// ```swift
/// do {
///     try await container.shutdown(limit: .seconds(20), hookLimit: .seconds(5))
/// } catch {
///     for hook in error.unfinished { print(hook) }
///     // 'App.Database', registered at App/Main.swift:12: cancelled after 5.0 seconds
/// }
/// ```
///
/// - Note: Concurrency. Immutable and thread-safe.
public struct DependencyShutdownError: Error, Sendable, CustomStringConvertible {
    /// A disposal hook that threw.
    public struct Failure: Sendable {
        /// The type of the service that the hook had to dispose of.
        public let service: any Any.Type
        /// The error that the hook threw.
        public let error: any Error

        init(_ service: any Any.Type, _ error: any Error) {
            self.service = service
            self.error = error
        }
    }

    /// A disposal hook that did not finish within the limits of the shutdown.
    public struct Unfinished: Sendable, CustomStringConvertible {
        /// The type of the service that the hook had to dispose of.
        public let service: any Any.Type
        /// The name of the service; nil for a service without a name.
        public let name: DependencyName?
        /// The place of the registration, as `Module/File.swift:12`; nil if it is not known.
        public let place: String?
        private let identity: ServiceIdentity
        /// The time that the hook ran; nil if it was not started.
        private let time: StoredDuration?

        init(_ disposal: Disposal, after time: StoredDuration?) {
            service = disposal.service
            identity = disposal.identity
            name = identity.name
            place = disposal.origin?.place
            self.time = time
        }

        /// The time after which the hook was cancelled; nil if it was not started, because the limit over all was reached.
        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        public var duration: Duration? { time?.duration }

        /// One line with the type in full, the name, the place, and the time after which the hook was cancelled.
        ///
        /// - Complexity: O(n) in its length.
        public var description: String {
            guard let time else { return "'\(identity)'\(registered(at: place)): not started" }
            return "'\(identity)'\(registered(at: place)): cancelled after \(time)"
        }
    }

    /// The failures, in the order in which the instances were disposed of.
    public let failures: [Failure]

    /// The hooks that did not finish within the limits of the shutdown, in the order in which the instances were disposed of.
    ///
    /// A hook that was started was cancelled, and may still run.
    public let unfinished: [Unfinished]

    /// All instances that the shutdown disposed of, with their times. Empty after a shutdown without limits.
    public let report: DependencyShutdownReport

    init(_ failures: [Failure], _ unfinished: [Unfinished] = [], _ report: DependencyShutdownReport = .init()) {
        self.failures = failures
        self.unfinished = unfinished
        self.report = report
    }

    /// The hooks that did not finish, and the errors of all hooks that threw, one per line.
    ///
    /// - Complexity: O(n) in the number of hooks.
    public var description: String {
        let failed = failures.map { "  '\(typeLabel($0.service))' threw: \($0.error)" }
        let late = unfinished.map { "  \($0)" }
        if late.isEmpty {
            return (["Shutdown completed, but \(hooks(failed.count)) failed:"] + failed).joined(separator: "\n")
        }
        let remedy = "Let a hook end when its task is cancelled, or raise the limit:"
        let others = failed.isEmpty ? [] : ["\(hooks(failed.count)) failed:"] + failed
        return (["Shutdown ended without \(hooks(late.count)). \(remedy)"] + late + others).joined(separator: "\n")
    }

    private func hooks(_ count: Int) -> String { count == 1 ? "1 disposal hook" : "\(count) disposal hooks" }
}

extension [Disposal] {
    /// Runs the hooks of all instances in turn, and waits for the asynchronous ones.
    ///
    /// - Returns: The errors of the hooks.
    func finish(isolation: isolated (any Actor)?) async -> [DependencyShutdownError.Failure] {
        var failures: [DependencyShutdownError.Failure] = []
        for disposal in self {
            for error in await disposal.finish(isolation: isolation) { failures.append(.init(disposal.service, error)) }
        }
        return failures
    }
}
