/// The time by which a shutdown or a warm-up measures its limits.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
package protocol ShutdownTime: Sendable {
    /// The time since a start that stays the same.
    var now: Duration { get }

    /// Suspends until a time, or until the task is cancelled.
    func sleep(until deadline: Duration) async
}

/// The time of the system, which goes on while the machine sleeps.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
struct SystemTime: ShutdownTime {
    private let start = ContinuousClock.now

    var now: Duration { start.duration(to: .now) }

    func sleep(until deadline: Duration) async {
        try? await Task.sleep(until: start.advanced(by: deadline), clock: .continuous)
    }
}
