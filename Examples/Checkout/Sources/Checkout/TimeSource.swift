/// Says what time it is, for measuring. A test registers one that stands still.
protocol TimeSource: Sendable {
    /// The time since some moment in the past, always the same one.
    var now: Duration { get }
}

/// The time since the program began.
struct MonotonicTime: TimeSource {
    private let start = ContinuousClock.now

    var now: Duration { start.duration(to: .now) }
}
