// How creations are recorded. Hopoate wraps the factories (CreationRecorder.swift).
//
// Invariants:
//
// 1. A recording has no list of its records. Each ends with its registration.
// 2. A record has room for three creations with 16 services each, whatever the number of creations. The factory of a scoped service runs
//    for each child, but it is one factory with one record.
// 3. A record refers to the clock of its recording and not to a container, so it keeps no container alive.
// 4. A living child that was made while its parent recorded holds a `LiveChild`, which is counted from its initializer to its
//    deinitializer. The count is written under a lock, by children of containers that record, and by no other child.

public import Hopoate

/// The recording of a container: its clock, and the number of living children.
final class CreationRecording: CreationRecorder {
    /// The time in nanoseconds, since a start that all recordings share.
    let now: @Sendable () -> Int
    /// The time at which the recording began.
    let start: Int
    private let children = Locked(0)

    init(_ now: @escaping @Sendable () -> Int) {
        self.now = now
        start = now()
    }

    /// The number of living children, with their own children.
    var liveChildren: Int { children.withLock { $0 } }

    fileprivate func count(_ change: Int) { children.withLock { $0 += change } }

    func makeRecord() -> any ServiceRecord { CreationRecord(now) }

    func makeChildToken() -> any AnyObject & Sendable { LiveChild(of: self) }
}

/// Counts a child container while it lives (invariant 4).
private final class LiveChild: Sendable {
    private let recording: CreationRecording

    init(of recording: CreationRecording) {
        self.recording = recording
        recording.count(1)
    }

    deinit { recording.count(-1) }
}

extension DependencyContainer {
    /// Begins to record the creations of all later registrations in this container and its children.
    ///
    /// ```swift
    /// let app = DependencyContainer()
    /// app.recordCreations()  // before the registrations
    /// app.register(Database.self) { _ in try await Database.connect() }
    /// try await app.warmUp()
    /// print(app.snapshot().registrations[0].creations?.first as Any)
    /// ```
    ///
    /// ``snapshot()`` then says how often each factory ran, how long it took, and which services needed the instance. A record has a fixed
    /// size and ends with its registration. All creations of a scoped service are recorded with its registration, also those in
    /// children. Earlier registrations, registered instances, noncopyable services and values of `DependencyValues` are not recorded.
    ///
    /// Cost: resolving an existing instance takes the same fast path as without recording. A creation costs two clock readings, a lock and
    /// some allocations more. While a container that records exists, every registration in the process looks for a recording in
    /// the target container and its parents, every child container is counted, and resolving a scoped service checks once more for a
    /// captive dependency.
    ///
    /// Recording cannot be stopped. A second call does nothing, and neither does a call in a child of a container that records.
    ///
    /// - Complexity: O(n) in the number of parents.
    /// - Note: Concurrency. Registrations and children that other threads make at the same time may be recorded or not.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    public func recordCreations() { recordCreations(by: ProcessTime.nanoseconds) }

    /// The same as the other form, with a clock of the caller's choice.
    package func recordCreations(by now: @escaping @Sendable () -> Int) {
        record { CreationRecording(now) }
    }

    /// The recording of this container; nil if it does not record.
    var recording: CreationRecording? { recorder as? CreationRecording }
}

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
private enum ProcessTime {
    private static let start = ContinuousClock.now

    static func nanoseconds() -> Int {
        let (seconds, attoseconds) = start.duration(to: .now).components
        return Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
    }
}
