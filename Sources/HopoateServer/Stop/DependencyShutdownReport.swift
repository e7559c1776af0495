public import Hopoate

/// The instances that a shutdown with limits disposed of, and the time that each took.
///
/// ```swift
/// let report = try await container.shutdown(limit: .seconds(20))
/// print(report)
/// // Disposed of 2 instances in 0.013 seconds:
/// //   1. 'App.Server', registered at App/Main.swift:12: 0.01 seconds
/// //   2. 'App.Database', registered at App/Main.swift:8: 0.003 seconds
/// ```
///
/// Only instances with a disposal hook are listed. If the shutdown throws, ``Hopoate/DependencyShutdownError/report`` has the report.
///
/// - Note: Concurrency. Immutable and thread-safe.
public struct DependencyShutdownReport: Sendable, CustomStringConvertible {
    /// How the hooks of an instance ended.
    ///
    /// - Note: Concurrency. Immutable and thread-safe.
    public struct Outcome: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String { case finished, failed, cancelled, notStarted = "not started" }

        private let kind: Kind

        /// All hooks ended without an error.
        public static let finished = Outcome(kind: .finished)
        /// A hook threw.
        public static let failed = Outcome(kind: .failed)
        /// The asynchronous hook exceeded a limit, was cancelled and left behind.
        public static let cancelled = Outcome(kind: .cancelled)
        /// The asynchronous hook was not started, because the limit over all was reached.
        public static let notStarted = Outcome(kind: .notStarted)

        /// The outcome in words.
        public var description: String { kind.rawValue }
    }

    /// An instance that was disposed of.
    ///
    /// - Note: Concurrency. Immutable and thread-safe.
    public struct Entry: Sendable, CustomStringConvertible {
        /// The type of the service.
        public let service: any Any.Type
        /// The name of the service; nil for a service without a name.
        public let name: DependencyName?
        /// The place of the registration, as `Module/File.swift:12`; nil if it is not known.
        public let place: String?
        /// The position in the order of disposal, from 1. Instances with the same level were disposed of in parallel.
        public let level: Int
        /// How the hooks ended.
        public private(set) var outcome = Outcome.finished
        private let identity: ServiceIdentity
        private var time = StoredDuration.zero

        init(_ disposal: Disposal, level: Int) {
            service = disposal.service
            identity = disposal.identity
            name = identity.name
            place = disposal.registrationPlace
            self.level = level
        }

        /// The time that the hooks took, synchronous and asynchronous.
        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        public var duration: Duration { time.duration }

        /// Adds a hook that has ended. An error of the first hook stays visible.
        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        mutating func add(_ outcome: Outcome, after duration: Duration) {
            time = StoredDuration(time.duration + duration)
            if self.outcome == .finished { self.outcome = outcome }
        }

        /// One line with the type in full, the name, the place, the time, and the outcome unless the hooks finished.
        ///
        /// - Complexity: O(n) in its length.
        public var description: String {
            let outcome = outcome == .finished ? "" : ", \(outcome)"
            return "'\(identity)'\(registered(at: place)): \(time)\(outcome)"
        }
    }

    /// The instances, in the order of disposal.
    public let entries: [Entry]
    private let time: StoredDuration

    init(entries: [Entry] = [], time: StoredDuration = .zero) {
        self.entries = entries
        self.time = time
    }

    /// The time that the whole shutdown took.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    public var duration: Duration { time.duration }

    /// The number of instances and the time of the shutdown, and one line per instance with its level.
    ///
    /// - Complexity: O(n) in its length.
    public var description: String {
        let count = entries.count == 1 ? "1 instance" : "\(entries.count) instances"
        let lines = entries.map { "  \($0.level). \($0)" }
        return (["Disposed of \(count) in \(time)" + (lines.isEmpty ? "." : ":")] + lines).joined(separator: "\n")
    }
}
