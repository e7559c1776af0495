/// The time by which a shutdown or a warm-up measures its limits.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
package protocol ElapsedTime: Sendable {
    /// The time since a start that stays the same.
    var now: Duration { get }

    /// Suspends until a time, or until the task is cancelled.
    func sleep(until deadline: Duration) async
}

/// The time that a clock measures, since this value was made.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
struct ClockTime<Time: Clock<Duration>>: ElapsedTime {
    private let clock: Time
    private let start: Time.Instant

    init(_ clock: Time) {
        self.clock = clock
        start = clock.now
    }

    var now: Duration { start.duration(to: clock.now) }

    func sleep(until deadline: Duration) async {
        try? await clock.sleep(until: start.advanced(by: deadline), tolerance: nil)
    }
}

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
extension Duration {
    /// The nearest duration from zero to a hundred years.
    ///
    /// Every limit and every measured time passes through here before it is added to a time or converted. Clocks trap if a time does not fit
    /// into 64 bits of seconds, and a user may pass any duration, for example the largest one for no limit.
    package var saturated: Duration { min(max(self, .zero), .seconds(100 * 366 * 86_400)) }
}
