/// The singletons that a warm-up created, with their times. ``Hopoate/DependencyContainer/warmUp(limit:width:)`` returns it.
///
/// ```swift
/// let report = try await container.warmUp(limit: .seconds(30))
/// for index in report.criticalPath {
///     print(report.creations[index].service, report.creations[index].ownDuration)
/// }
/// ```
///
/// Times are offsets from the begin of the warm-up. A singleton that existed before is not listed.
///
/// - Note: Concurrency. Immutable and thread-safe.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
public struct DependencyStartReport: Sendable, Hashable, Codable {
    /// The creation of one singleton.
    public struct Creation: Sendable, Hashable, Codable {
        /// The type of the service in full.
        public let service: String
        /// The name of the service; nil for a service without a name.
        public let name: String?
        /// The place of the registration, as `Module/File.swift:12`; nil if it is not known.
        public let place: String?
        /// The time at which the creation began.
        public let start: Duration
        /// The time from the begin of the creation to the end of its factory.
        public let duration: Duration
        /// The part of the duration in which the creation waited for no other singleton.
        public let ownDuration: Duration
        /// The singletons that the creation waited for, in the order in which the waits began.
        public let waits: [Wait]

        package init(
            service: String, name: String? = nil, place: String? = nil, start: Duration, duration: Duration,
            ownDuration: Duration, waits: [Wait] = []
        ) {
            self.service = service
            self.name = name
            self.place = place
            self.start = start
            self.duration = duration
            self.ownDuration = ownDuration
            self.waits = waits
        }
    }

    /// The time in which one creation waited for another one.
    public struct Wait: Sendable, Hashable, Codable {
        /// The creation that it waited for: an index into ``DependencyStartReport/creations``.
        public let creation: Int
        /// The time at which the wait began.
        public let start: Duration
        /// The length of the wait.
        public let duration: Duration

        package init(creation: Int, start: Duration, duration: Duration) {
            self.creation = creation
            self.start = start
            self.duration = duration
        }
    }

    /// The creations, in the order in which they began.
    public let creations: [Creation]
    /// The time of the whole warm-up.
    public let total: Duration
    /// The creations that determined the total, in the order in which they ended: indices into ``creations``.
    ///
    /// Each creation waited for the end of the one before it: it needed that service, or it could not start earlier because the number of
    /// creations at the same time is limited.
    public let criticalPath: [Int]

    package init(creations: [Creation], total: Duration, criticalPath: [Int]) {
        self.creations = creations
        self.total = total
        self.criticalPath = criticalPath
    }
}
