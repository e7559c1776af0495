public import Hopoate

extension DependencyShutdownError {
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
            place = disposal.registrationPlace
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

    /// The hooks that did not finish within the limits of the shutdown, in the order in which the instances were disposed of.
    ///
    /// A hook that was started was cancelled, and may still run. Empty after a shutdown without limits.
    ///
    /// ```swift
    /// do {
    ///     try await container.shutdown(limit: .seconds(20), hookLimit: .seconds(5))
    /// } catch {
    ///     for hook in error.unfinished { print(hook) }
    ///     // 'App.Database', registered at App/Main.swift:12: cancelled after 5.0 seconds
    /// }
    /// ```
    public var unfinished: [Unfinished] { (limited as? LimitedShutdown)?.unfinished ?? [] }

    /// All instances that the shutdown disposed of, with their times. Empty after a shutdown without limits.
    public var report: DependencyShutdownReport { (limited as? LimitedShutdown)?.report ?? DependencyShutdownReport() }
}

/// What a shutdown with limits adds to its error.
struct LimitedShutdown: LimitedShutdownError {
    let unfinished: [DependencyShutdownError.Unfinished]
    let report: DependencyShutdownReport

    var lines: [String] {
        if unfinished.isEmpty { return [] }
        let remedy = "Let a hook end when its task is cancelled, or raise the limit:"
        return ["Shutdown ended without \(countOfHooks(unfinished.count)). \(remedy)"] + unfinished.map { "  \($0)" }
    }
}
