import HopoateServer

/// A time that passes only when a test says so.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
final class TestTime: ElapsedTime {
    private let clock = ManualClock()

    var now: Duration { clock.now.offset }

    /// The number of calls of `sleep` that have not returned.
    var sleepers: Int { clock.sleepers }

    func sleep(until deadline: Duration) async {
        try? await clock.sleep(until: ManualClock.Instant(offset: deadline), tolerance: nil)
    }

    /// Lets time pass.
    func advance(by duration: Duration) { clock.advance(by: duration) }
}
