/// A clock in nanoseconds, for recordings. Time passes only when a test says so.
final class StepClock: Sendable {
    private let time: Locked<Int>

    init(at start: Int = 0) {
        time = Locked(start)
    }

    var now: Int { time.current }

    /// Lets time pass.
    func pass(_ nanoseconds: Int) { time.withLock { $0 += nanoseconds } }
}
