// How creations are recorded.
//
// As with instruments, registration decides once, and no resolve path checks for a recording. While a container records, a registration
// that is made in it or in a child gets a `CreationRecord`, and its factory is wrapped in a closure that notes the creation there. Nothing
// else of the registration changes: unlike an observer, a record hears nothing of resolve calls, so the registration keeps the form with
// the fastest lookup. A resolve call that finds an instance never reaches the wrapped factory.
//
// Invariants:
//
// 1. A record belongs to its registration: the factory retains it, or, if an eager instance has none, the disposals of the registration.
//    So it ends with the registration, and a recording has no list of its records.
// 2. A record has room for three creations with 16 services each, whatever the number of creations. The factory of a scoped service runs
//    for each child, but it is one factory with one record.
// 3. A record refers to the clock of its recording and not to a container, so it keeps no container alive.
// 4. A living child that was made while its parent recorded holds a `LiveChild`, which is counted from its initializer to its
//    deinitializer. The count is written under a lock, by children of containers that record, and by no other child.

/// The recording of a container: its clock, and the number of living children.
final class CreationRecording: Sendable {
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
}

/// Counts a child container while it lives (invariant 4).
final class LiveChild: Sendable {
    private let recording: CreationRecording

    init(of recording: CreationRecording) {
        self.recording = recording
        recording.count(1)
    }

    deinit { recording.count(-1) }
}

/// The recording of a container, and its place in that of its parent.
private struct Recordings: ContainerAttachment {
    /// The recording of creations; nil if the container does not record.
    var own: (recording: CreationRecording, watching: Watching)?
    /// Counts the container as a living child, if its parent records.
    var liveChild: LiveChild?
}

extension ContainerState {
    /// The recording of creations; nil if the container does not record.
    var recording: CreationRecording? { withAttachmentIfAny(Recordings.self) { $0.own?.recording } ?? nil }
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
    /// children. Earlier registrations, registered instances, noncopyable services and values of ``DependencyValues`` are not recorded.
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
        if recording != nil { return }
        let own = (CreationRecording(now), Watching())
        // Another thread may have begun one.
        state.withAttachment(Recordings.self) { if $0.own == nil { $0.own = own } }
    }

    /// The recording of this container, or that of the nearest parent that has one; nil if there is none.
    var recording: CreationRecording? {
        var next: DependencyContainer? = self
        while let container = next {
            if let recording = container.stateIfAny?.recording { return recording }
            next = container.parent
        }
        return nil
    }

    /// Makes a record for a service that is about to be registered; nil if this container does not record.
    func makeRecord() -> CreationRecord? { recording.map { CreationRecord($0.now) } }

    /// Counts this container, a new child, if its parent records.
    func countAsChild() {
        guard let recording = parent?.recording else { return }
        let child = LiveChild(of: recording)
        state.withAttachment(Recordings.self) { $0.liveChild = child }
    }
}

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
private enum ProcessTime {
    private static let start = ContinuousClock.now

    static func nanoseconds() -> Int {
        let (seconds, attoseconds) = start.duration(to: .now).components
        return Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
    }
}
