/// A clock for measurements. Tests register one that stands still.
protocol TimeSource: Sendable {
    /// The time since a fixed moment in the past.
    var now: Duration { get }
}

/// The time since the start of the program.
struct MonotonicTime: TimeSource {
    private let start = ContinuousClock.now

    var now: Duration { start.duration(to: .now) }
}
