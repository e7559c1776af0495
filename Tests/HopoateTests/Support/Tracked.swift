import Foundation
import Hopoate
import Testing

/// A value under a lock.
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

extension Locked where Value == Int {
    /// Adds one and returns the new value: 1 for the first call if the value was 0.
    func next() -> Int {
        withLock { value in
            value += 1
            return value
        }
    }
}

extension Locked {
    /// Returns the value and replaces it by nil.
    func take<Wrapped>() -> Wrapped? where Value == Wrapped? {
        withLock { value in
            defer { value = nil }
            return value
        }
    }
}

/// Creates services and counts how many are alive. Each test has its own tracker, because tests run in parallel.
final class Tracker: Sendable {
    private let counts = Locked((live: 0, made: 0))

    /// The number of living services.
    var live: Int { counts.current.live }
    /// The number of services that were created.
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

/// A service that is counted, has a number, and can check its own memory.
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

    /// Whether the memory looks like a living instance.
    var isIntact: Bool { mark == Tracked.mark }

    // Not inlined, so that the compiler does not drop the store as dead.
    @inline(never)
    private func erase() { mark = 0 }
}

/// Blocks until a condition holds, and lets deferred releases run: a borrow of another test defers hooks and deinitializers to
/// its end.
///
/// The condition is not an autoclosure, because `#expect` evaluates the arguments of a call once, before the call.
@available(*, noasync)
func eventually(_ condition: () -> Bool) -> Bool {
    expectMayBlock()
    let deadline = Date() + TimeInterval(patience)
    while !condition(), Date() < deadline {
        reclaim()
        Thread.sleep(forTimeInterval: 0.001)
    }
    return condition()
}

/// Like the overload without `await`, but suspends.
func eventually(_ condition: () -> Bool) async -> Bool {
    let deadline = Date() + TimeInterval(patience)
    while !condition(), Date() < deadline {
        reclaim()
        try? await Task.sleep(nanoseconds: 1_000_000)
    }
    return condition()
}

/// Makes a write, which runs deferred releases.
private func reclaim() { DependencyContainer().register((), for: Void.self) }

/// Checks that no service is alive.
///
/// It waits, because a borrow of another test may defer releases. Tests of an immediate release run in a process of their own.
@available(*, noasync)
func expectGone(_ tracker: Tracker, _ location: SourceLocation = #_sourceLocation) {
    #expect(eventually { tracker.live == 0 }, "services are still alive", sourceLocation: location)
}

/// Like the overload without `await`, but suspends.
func expectGone(_ tracker: Tracker, _ location: SourceLocation = #_sourceLocation) async {
    #expect(await eventually { tracker.live == 0 }, "services are still alive", sourceLocation: location)
}
