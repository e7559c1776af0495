import Foundation
import Hopoate
import Testing

/// A value that several threads use, one at a time.
// Unchecked, because the value is a variable. Sound, because every use of it is under the lock.
final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    func withLock<Output>(_ body: (inout Value) throws -> Output) rethrows -> Output {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }

    var current: Value { withLock { $0 } }
}

extension Locked {
    /// Takes the value out and leaves nil.
    func take<Wrapped>() -> Wrapped? where Value == Wrapped? {
        withLock { value in
            defer { value = nil }
            return value
        }
    }
}

/// Makes services whose deaths are noticed. One for each test, so that parallel tests do not count each other's.
final class Tracker: Sendable {
    private let counts = Locked((live: 0, made: 0))

    /// How many of the services made here are alive.
    var live: Int { counts.current.live }
    /// How many were ever made.
    var made: Int { counts.current.made }

    func make(_ number: Int = 0, atDeath: (() -> Void)? = nil) -> Tracked {
        counts.withLock {
            $0.live += 1
            $0.made += 1
        }
        return Tracked(number, self, atDeath)
    }

    fileprivate func noteDeath() { counts.withLock { $0.live -= 1 } }
}

/// A service that is counted, knows its number, and can tell whether it is still itself.
// Unchecked, because of the mark and the closure. Sound, because only `init` and `deinit` write or call them.
final class Tracked: @unchecked Sendable {
    private static let mark: UInt64 = 0x5EED_CAFE_F00D_D00D

    let number: Int
    private var mark = Tracked.mark
    private let tracker: Tracker
    private let atDeath: (() -> Void)?

    fileprivate init(_ number: Int, _ tracker: Tracker, _ atDeath: (() -> Void)?) {
        self.number = number
        self.tracker = tracker
        self.atDeath = atDeath
    }

    deinit {
        atDeath?()
        erase()
        tracker.noteDeath()
    }

    /// Whether this is a living instance, as far as its memory tells.
    var isIntact: Bool { mark == Tracked.mark }

    // Not inlined, so that the store is not dropped as one that nobody reads.
    @inline(never)
    private func erase() { mark = 0 }
}

/// Blocks until something is so, and gives those who put off releasing what was removed the opportunity: while a borrowed
/// closure of another test runs, hooks and deinitializers of removed services wait for its end.
@available(*, noasync)
func eventually(_ condition: @autoclosure () -> Bool) -> Bool {
    expectMayBlock()
    let deadline = Date() + TimeInterval(patience)
    while !condition(), Date() < deadline {
        reclaim()
        Thread.sleep(forTimeInterval: 0.001)
    }
    return condition()
}

/// As the form without `await`, for a test that suspends meanwhile.
func eventually(_ condition: @autoclosure () -> Bool) async -> Bool {
    let deadline = Date() + TimeInterval(patience)
    while !condition(), Date() < deadline {
        reclaim()
        try? await Task.sleep(nanoseconds: 1_000_000)
    }
    return condition()
}

/// Makes a write, which takes the opportunity to release what waited.
private func reclaim() { DependencyContainer().register((), for: Void.self) }

/// Checks that no service is left.
///
/// Not at once: while a borrowed closure of another test runs, removed services wait for its end. Tests that insist on
/// "at once" run in a process of their own.
@available(*, noasync)
func expectGone(_ tracker: Tracker, _ location: SourceLocation = #_sourceLocation) {
    #expect(eventually(tracker.live == 0), "services are still alive", sourceLocation: location)
}

/// As the form without `await`, for a test that suspends meanwhile.
func expectGone(_ tracker: Tracker, _ location: SourceLocation = #_sourceLocation) async {
    #expect(await eventually(tracker.live == 0), "services are still alive", sourceLocation: location)
}
