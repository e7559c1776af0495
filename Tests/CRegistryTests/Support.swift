// What the suites share: the one suite that they are all part of, how long to go on, and what to wait for.

import CTorture
import Foundation
import Testing

/// All the suites of this module. One test at a time: they look at numbers that belong to the whole process, and want the
/// processors for their own threads.
@Suite(.serialized, .mayBlock) enum CRegistryTests {}

/// How much to do.
enum Effort {
    /// `HOP_LONG_TESTS`, for runs that go on for longer.
    static let multiplier = ProcessInfo.processInfo.environment["HOP_LONG_TESTS"].flatMap { Int($0) } ?? 1

    /// How often to repeat something that takes a microsecond or more. Sanitizers make it several times slower.
    static func repetitions(_ count: Int) -> Int { count * multiplier / (torture_under_sanitizer() ? 10 : 1) }

    /// How long to go on with something that has no end.
    static func milliseconds(_ count: Int) -> UInt32 { UInt32(count * multiplier) }
}

/// How long to wait for what must happen at once, in milliseconds. Long enough for a machine that is busy with other things, and
/// for a sanitizer.
let patience: UInt32 = 300_000

/// Expects a claim about the moment of a release, or about numbers of the whole process: one attempt has to show it.
///
/// Suites of other modules run in the same process at the same time. A borrowed section of theirs rightly puts off a release
/// of ours for as long as it lasts, and their threads and memory are counted with ours. A registry that is wrong fails every
/// attempt.
func expectOneOfManyAttempts(sourceLocation: SourceLocation = #_sourceLocation, _ attempt: () -> Bool) {
    let attempts: UInt32 = 50
    for number in 0..<attempts {
        if attempt() { return }
        usleep(number * 2_000)
    }
    Issue.record("none of \(attempts) attempts showed it", sourceLocation: sourceLocation)
}

/// Waits for something that happens on another thread.
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
