/// A `Duration` that can be stored on systems which do not have that type yet.
struct StoredDuration: Sendable, Hashable, CustomStringConvertible {
    private let seconds: Int64
    private let attoseconds: Int64

    static let zero = StoredDuration(seconds: 0, attoseconds: 0)

    private init(seconds: Int64, attoseconds: Int64) {
        self.seconds = seconds
        self.attoseconds = attoseconds
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    init(_ duration: Duration) {
        (seconds, attoseconds) = duration.saturated.components
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    var duration: Duration { Duration(secondsComponent: seconds, attosecondsComponent: attoseconds) }

    /// The time in seconds, rounded to milliseconds.
    var description: String {
        // Integers, because rounding a floating-point number needs the mathematics library of the system.
        let milliseconds = seconds * 1_000 + (attoseconds + 500_000_000_000_000) / 1_000_000_000_000_000
        return "\(Double(milliseconds) / 1_000) seconds"
    }
}
