// Common to all suites: the parent suite, the amount of work, and waiting.

import CTorture
import Foundation
import Testing

/// The parent of all suites of this module. Tests run one at a time, because they check process-wide counters and need the
/// processors for their own threads.
@Suite(.serialized, .mayBlock) enum CRegistryTests {}

/// The amount of work.
enum Effort {
    /// The factor from `HOP_LONG_TESTS`, for long runs.
    static let multiplier = ProcessInfo.processInfo.environment["HOP_LONG_TESTS"].flatMap { Int($0) } ?? 1

    /// The number of repetitions of an operation that takes a microsecond or more. Sanitizers make it several times slower.
    static func repetitions(_ count: Int) -> Int { count * multiplier / (torture_under_sanitizer() ? 10 : 1) }

    /// The duration of an endless operation.
    static func milliseconds(_ count: Int) -> UInt32 { UInt32(count * multiplier) }
}

/// The time limit in milliseconds for an event that should happen at once. It suffices for a busy machine and for a sanitizer.
let patience: UInt32 = 300_000

/// Checks process-wide counters, or a time limit: one successful attempt is enough.
///
/// Suites of other modules run concurrently in the same process, and their threads, memory and borrows are counted, too. With a defect in
/// the registry, every attempt fails.
func expectOneOfManyAttempts(sourceLocation: SourceLocation = #_sourceLocation, _ attempt: () -> Bool) {
    let attempts: UInt32 = 50
    for number in 0..<attempts {
        if attempt() { return }
        usleep(number * 2_000)
    }
    Issue.record("none of \(attempts) attempts showed it", sourceLocation: sourceLocation)
}

/// Waits for an event on another thread.
@available(*, noasync)
func eventually(_ condition: () -> Bool) -> Bool {
    expectMayBlock()
    let deadline = Date(timeIntervalSinceNow: Double(patience) / 1_000)
    while !condition() {
        if Date() > deadline { return false }
        usleep(500)
    }
    return true
}
